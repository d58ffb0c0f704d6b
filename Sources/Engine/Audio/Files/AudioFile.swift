/// Opens recordings of any format by what is in them; names and endings decide nothing.
///
/// Nothing that a file refers to (other files, addresses, commands) is ever opened.
public enum AudioFile {
    /// Opens a file or a named pipe.
    public static func open(
        _ path: FilePath, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any RecordedAudio {
        try source(OpenFile(path, onWaiting: options.onWaiting), options)
    }

    /// Reads from a descriptor that is open already: standard input, a pipe, a file. It stays the caller's to close.
    ///
    /// - Parameter name: for messages; `-` is shown as standard input.
    public static func open(
        descriptor: Int32, name: FilePath = FilePath("-"), options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any RecordedAudio {
        try source(OpenFile(descriptor: descriptor, name: name, onWaiting: options.onWaiting), options)
    }

    private static func source(
        _ file: OpenFile, _ options: AudioOptions
    ) throws(AudioFormatError) -> any RecordedAudio {
        if let raw = options.raw { return try PCMSource(file, format: raw) }
        let head = try file.bytes(at: 0, count: FileKind.headBytes)
        guard !head.isEmpty else { throw .emptyFile(file.name) }
        let kind = FileKind(head: head)
        switch kind {
        case .wave: return try wave(file, options)
        case .media, .unknown: return try media(file, options, kind)
        case .playlist: throw .playlist(file.name)
        case .model: throw .isModel(file.name, kind: kind)
        default: throw .notSound(file.name, looksLike: kind)
        }
    }

    private static func wave(_ file: OpenFile, _ options: AudioOptions) throws(AudioFormatError) -> any RecordedAudio {
        let header = try WAVHeader(reading: file)
        if let seconds = header.dataBytes.flatMap(header.seconds), seconds > Double(AudioLimits.longestSeconds) {
            throw .tooLong(file.name)
        }
        #if HAS_FFMPEG
            // Ours where it gives the same samples without the time that loading the libraries takes, or where they
            // are not there.
            if !header.isReadAlike, FFmpegLibrary.shared != nil || !header.isPlain {
                return try FFmpegSource(file, options, kind: .wave, wave: header, ffmpeg(for: file))
            }
        #endif
        let source = try WAVSource(file, header)
        if let track = options.track, track != 1 {
            let only = AudioTrack(
                number: 1, language: nil, channels: header.channels, sampleRate: header.sampleRate, codec: "WAV")
            throw .noSuchTrack(file.name, track: track, tracks: [only])
        }
        return source
    }

    private static func media(
        _ file: OpenFile, _ options: AudioOptions, _ kind: FileKind
    ) throws(AudioFormatError) -> any RecordedAudio {
        #if HAS_FFMPEG
            return try FFmpegSource(file, options, kind: kind, ffmpeg(for: file))
        #else
            if kind == .media { throw .needsFFmpeg(file.name) }
            throw .notSound(file.name, looksLike: kind)
        #endif
    }

    #if HAS_FFMPEG
        private static func ffmpeg(for file: OpenFile) throws(AudioFormatError) -> FFmpegLibrary {
            guard let library = FFmpegLibrary.shared else {
                throw .ffmpegMissing(file.name, packages: FFmpegLibrary.packages)
            }
            return library
        }
    #endif
}

extension WAVHeader {
    /// Whether our own reader can read it at all.
    fileprivate var isPlain: Bool {
        if case .samples = coding { true } else { false }
    }

    /// Whether our reader gives the very samples that FFmpeg gives: one channel of 16 kHz needs neither mixing nor
    /// resampling.
    fileprivate var isReadAlike: Bool {
        isPlain && (channels == 1 && sampleRate == AudioChunk.sampleRate || dataBytes == 0)
    }
}
