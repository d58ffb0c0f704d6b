public import EngineBasics

#if HAS_FFMPEG
    import CFFmpeg
#endif

/// Opens recordings of any supported format, which is determined by their content; names and extensions do not matter.
///
/// A file's references to other files, URLs or commands are never followed.
public enum AudioFile {
    /// Opens a file, or a named pipe once it has a writer.
    ///
    ///     let audio = try AudioFile.open("talk.flac")
    ///
    /// - Returns: one track as 16 kHz mono samples; its channels are mixed.
    public static func open(
        _ path: FilePath, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any AudioSource {
        try source(OpenFile(path, onWaiting: options.onWaiting), options)
    }

    /// Opens an audio file by its path as a string.
    public static func open(
        _ path: String, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any AudioSource {
        try open(FilePath(path), options: options)
    }

    /// Reads from an open descriptor: standard input, a pipe or a file. The caller keeps ownership of it.
    ///
    /// - Parameter name: the name in error messages; `-` is shown as standard input.
    public static func open(
        descriptor: Int32, name: FilePath = FilePath("-"), options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any AudioSource {
        try source(OpenFile(descriptor: descriptor, name: name, onWaiting: options.onWaiting), options)
    }

    /// Opens each channel of a recording as a separate source, such as the two sides of a call; `AudioOptions.track`
    /// selects the track.
    ///
    ///     let channels = try AudioFile.openChannels("call.wav")
    ///     let transcript = try await recognizer.transcribe(channels: channels, speakers: ["Anna", "Ben"])
    ///
    /// Every channel reads the file separately. A pipe can be read only once, so it is copied to an unnamed temporary
    /// file while its first channel is read.
    ///
    /// - Returns: one source per channel, in order; a mono recording has one.
    public static func openChannels(
        _ path: String, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> [any AudioSource] {
        try openChannels(FilePath(path), options: options)
    }

    package static func openChannels(
        _ path: FilePath, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> [any AudioSource] {
        try channels(OpenFile(path, onWaiting: options.onWaiting, keepsPipe: true), options)
    }

    package static func openChannels(
        descriptor: Int32, name: FilePath = FilePath("-"), options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> [any AudioSource] {
        try channels(
            OpenFile(descriptor: descriptor, name: name, onWaiting: options.onWaiting, keepsPipe: true), options)
    }

    private static func channels(
        _ file: OpenFile, _ options: AudioOptions
    ) throws(AudioFormatError) -> [any AudioSource] {
        let source = try source(file, options, isSplit: true)
        if let source = source as? PCMSource { return source.channels }
        if let source = source as? WAVSource { return source.channels }
        #if HAS_FFMPEG
            if let source = source as? FFmpegSource, source.channels > 1 {
                return (0..<source.channels).map { FFmpegSource(channel: $0, of: source) }
            }
        #endif
        return [source]
    }

    /// - Parameter isSplit: whether the channels will be read one by one instead of being mixed.
    private static func source(
        _ file: OpenFile, _ options: AudioOptions, isSplit: Bool = false
    ) throws(AudioFormatError) -> any AudioSource {
        if let raw = options.raw { return try PCMSource(file, format: raw) }
        let head = try file.bytes(at: 0, count: FileKind.headBytes)
        guard !head.isEmpty else { throw .emptyFile(file.name) }
        let kind = FileKind(head: head)
        switch kind {
        case .wave: return try wave(file, options, isSplit: isSplit)
        case .media, .unknown: return try media(file, options, kind)
        case .playlist: throw .playlist(file.name)
        case .model: throw .model(file.name, kind: kind.description)
        default: throw .notAudio(file.name, looksLike: kind.name)
        }
    }

    private static func wave(
        _ file: OpenFile, _ options: AudioOptions, isSplit: Bool
    ) throws(AudioFormatError) -> any AudioSource {
        let header = try WAVHeader(reading: file)
        if let seconds = header.dataBytes.flatMap(header.seconds), seconds > Double(AudioLimits.maxSeconds) {
            throw .tooLong(file.name)
        }
        #if HAS_FFMPEG
            // Use our own reader if its samples equal FFmpeg's, which saves loading the libraries, or if FFmpeg is not
            // installed.
            if !header.matchesFFmpeg(isSplit: isSplit), FFmpegLibrary.shared != nil || !header.isPCM {
                return try FFmpegSource(file, options, kind: .wave, wave: header, ffmpeg(for: file))
            }
        #endif
        let source = try WAVSource(file, header)
        if let track = options.track, track != 1 {
            let only = AudioFile.Track(
                number: 1, language: nil, channels: header.channels, sampleRate: header.sampleRate, codec: "WAV")
            throw .noSuchTrack(file.name, track: track, tracks: [only])
        }
        return source
    }

    private static func media(
        _ file: OpenFile, _ options: AudioOptions, _ kind: FileKind
    ) throws(AudioFormatError) -> any AudioSource {
        #if HAS_FFMPEG
            return try FFmpegSource(file, options, kind: kind, ffmpeg(for: file))
        #else
            if kind == .media { throw .needsFFmpeg(file.name) }
            throw .notAudio(file.name, looksLike: kind.name)
        #endif
    }

    #if HAS_FFMPEG
        private static func ffmpeg(for file: OpenFile) throws(AudioFormatError) -> FFmpegFunctions {
            guard let library = FFmpegLibrary.shared else {
                throw .ffmpegMissing(file.name, packages: FFmpegLibrary.packages)
            }
            return library
        }
    #endif
}

extension WAVHeader {
    /// Whether our own reader supports the coding.
    fileprivate var isPCM: Bool {
        if case .samples = coding { true } else { false }
    }

    /// Whether our own reader produces the same samples as FFmpeg: 16 kHz mono, or one channel of several, needs neither
    /// mixing nor resampling.
    fileprivate func matchesFFmpeg(isSplit: Bool) -> Bool {
        isPCM && ((channels == 1 || isSplit) && sampleRate == AudioChunk.sampleRate || dataBytes == 0)
    }
}

/// Options for opening a recording.
public struct AudioOptions: Sendable {
    /// The audio track to read, counted from 1; `nil` reads the first, with a warning if there are others.
    public var track: Int?
    /// The layout of a recording that consists of samples without a header.
    public var raw: RawFormat?
    /// Where the times of a recording begin.
    public var clock = Clock.file
    /// Called once if a pipe delivers nothing for two seconds while it is opened.
    public var onWaiting: (@Sendable () -> Void)?

    /// What the times of a recording count from.
    public enum Clock: String, CaseIterable, Sendable {
        /// The start of the file, as players count, even if its audio begins later than its video.
        case file
        /// The first sample, as in openai-whisper.
        case audio
    }

    public init(
        track: Int? = nil, raw: RawFormat? = nil, clock: Clock = .file, onWaiting: (@Sendable () -> Void)? = nil
    ) {
        self.track = track
        self.raw = raw
        self.clock = clock
        self.onWaiting = onWaiting
    }
}

extension AudioFile {
    /// An audio track of a container.
    public struct Track: Equatable, Sendable {
        /// Counted from 1 among the audio tracks.
        public let number: Int
        /// The container's language code, such as `eng`, without control characters; `nil` if it has none.
        public let language: String?
        /// 0 if that is not known before the track is read, as `sampleRate`.
        public let channels: Int
        public let sampleRate: Int
        /// The codec's short name, such as `aac`.
        public let codec: String

        package init(number: Int, language: String?, channels: Int, sampleRate: Int, codec: String) {
            self.number = number
            self.language = language
            self.channels = channels
            self.sampleRate = sampleRate
            self.codec = codec
        }
    }
}

extension AudioFile.Track: CustomStringConvertible {
    /// Such as `2 (eng, stereo, aac)`.
    public var description: String {
        let layout: String? =
            switch channels {
            case 0: nil
            case 1: "mono"
            case 2: "stereo"
            default: "\(channels) channels"
            }
        return "\(number) (" + [language, layout, codec].compactMap(\.self).joined(separator: ", ") + ")"
    }
}
