#if HAS_FFMPEG
    import Synchronization

    /// Sound of any file that FFmpeg reads, also out of videos: one track, mixed to mono, resampled to 16 kHz, 16 bits.
    ///
    /// The samples equal those of `ffmpeg -i FILE -f s16le -ac 1 -acodec pcm_s16le -ar 16000 -` for sound files, except
    /// where they repair: what is no number, channels that cancel each other, damaged places, leaps in the timestamps.
    /// FFmpeg is never given a name: it reads through our own descriptor, and whatever else it asks to open is refused.
    public final class FFmpegSource: RecordedAudio {
        public let duration: Duration?
        public let identity: FileIdentity?
        private let ffmpeg: FFmpegLibrary
        private let file: OpenFile
        private let settings: FFmpegReader.Settings
        private let notes: [AudioWarning]
        private let report: AudioReport
        /// What opening has decoded already; the first reading goes on from there.
        private let prepared: Mutex<FFmpegReader?>

        init(
            _ file: OpenFile, _ options: AudioOptions, kind: FileKind, wave: WAVHeader? = nil, _ ffmpeg: FFmpegLibrary
        ) throws(AudioFormatError) {
            let settings = FFmpegReader.Settings(
                track: options.track, kind: kind, opening: wave.map { AudioFindings($0) } ?? AudioFindings())
            let report = AudioReport(settings.opening)
            let reader = try FFmpegReader(file, settings, report, ffmpeg)
            let tracks = reader.tracks
            let seconds = wave.flatMap { header in header.dataBytes.flatMap(header.seconds) } ?? reader.declaredSeconds
            self.ffmpeg = ffmpeg
            self.file = file
            self.settings = settings
            self.report = report
            identity = file.identity
            duration = file.isPipe ? nil : seconds.map { .seconds($0) }
            notes =
                options.track == nil && tracks.count > 1 ? [.severalTracks(taken: tracks[0], all: tracks)] : []
            prepared = Mutex(reader)
        }

        /// Version of the libavformat that is installed.
        package static var libraryVersion: String? {
            FFmpegLibrary.shared.map { library in
                let version = library.avformat_version()
                return "\(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
            }
        }

        /// Debian's packages of FFmpeg's libraries.
        package static var libraryPackages: [String] { FFmpegLibrary.packages }

        public var warnings: [AudioWarning] { notes + report.current.warnings }

        public func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
            ChunkStream.start { [self] in
                try prepared.withLock(Self.taken) ?? FFmpegReader(file, settings, report, ffmpeg)
            }
        }

        private static func taken(_ reader: inout sending FFmpegReader?) -> sending FFmpegReader? {
            let taken = reader
            reader = nil
            return taken
        }
    }
#endif
