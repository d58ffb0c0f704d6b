#if HAS_FFMPEG
    import CFFmpeg
    import Synchronization

    /// The audio of any file that FFmpeg can read, including videos: one track, mixed to mono, resampled to 16 kHz, 16
    /// bits.
    ///
    /// For audio files, the samples equal those of `ffmpeg -i FILE -f s16le -ac 1 -acodec pcm_s16le -ar 16000 -`,
    /// except where the input is repaired: NaN and infinity, channels that cancel each other out, damaged data, jumps
    /// in the timestamps. FFmpeg never receives a file name: it reads through our own descriptor, and its attempts to
    /// open anything else are denied.
    package final class FFmpegSource: AudioSource {
        package let duration: Duration?
        package let start: Duration
        /// Whether `duration` is more than an estimate from the bit rate.
        let isDurationKnown: Bool
        private let ffmpeg: FFmpegFunctions
        private let file: OpenFile
        private let settings: FFmpegReader.Settings
        let channels: Int
        private let trackWarnings: [AudioFile.Warning]
        private let diagnostics: SharedDiagnostics
        /// The reader that opening has created; the first pass continues with it.
        private let prepared: Mutex<FFmpegReader?>

        init(
            _ file: OpenFile, _ options: AudioOptions, kind: FileKind, wave: WAVHeader? = nil, _ ffmpeg: FFmpegFunctions
        ) throws(AudioFormatError) {
            let settings = FFmpegReader.Settings(
                track: options.track, kind: kind, initial: wave.map { AudioDiagnostics($0) } ?? AudioDiagnostics())
            let diagnostics = SharedDiagnostics(settings.initial)
            let reader = try FFmpegReader(file, settings, diagnostics, ffmpeg)
            let tracks = reader.tracks
            let seconds = wave.flatMap { header in header.dataBytes.flatMap(header.seconds) } ?? reader.declaredSeconds
            self.ffmpeg = ffmpeg
            self.file = file
            self.settings = settings
            self.diagnostics = diagnostics
            channels = reader.channels
            duration = file.isPipe ? nil : seconds.map { .seconds($0) }
            start = options.clock == .file ? .milliseconds(Int(reader.delay * 1000)) : .zero
            isDurationKnown = wave != nil || reader.isLengthKnown
            trackWarnings =
                options.track == nil && tracks.count > 1 ? [.multipleTracks(used: tracks[0], all: tracks)] : []
            prepared = Mutex(reader)
        }

        /// Creates a source for a channel, counted from 0, of the recording that another source mixes.
        init(channel: Int, of other: FFmpegSource) {
            var settings = other.settings
            settings.channel = channel
            self.settings = settings
            ffmpeg = other.ffmpeg
            file = other.file
            channels = 1
            duration = other.duration
            start = other.start
            isDurationKnown = other.isDurationKnown
            trackWarnings = other.trackWarnings
            diagnostics = SharedDiagnostics(settings.initial)
            prepared = Mutex(nil)
        }

        /// The version of the installed libavformat.
        package static var libraryVersion: String? {
            FFmpegLibrary.shared.map { library in
                let version = library.avformat_version()
                return "\(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
            }
        }

        /// The Debian packages of FFmpeg's libraries.
        package static var libraryPackages: [String] { FFmpegLibrary.packages }

        package var warnings: [AudioFile.Warning] {
            var diagnostics = diagnostics.current
            diagnostics.start = start / .seconds(1)
            return trackWarnings + diagnostics.warnings
        }

        package func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
            ChunkStream.start { [self] in
                let reader = prepared.withLock { reader in reader.take() }
                return try reader ?? FFmpegReader(file, settings, diagnostics, ffmpeg)
            }
        }
    }
#endif
