/// The layout of samples without a header, such as `s16le:16000:1`.
public struct RawFormat: Equatable, Sendable {
    package let encoding: SampleEncoding
    /// Samples per second, 1,000…768,000.
    public let sampleRate: Int
    /// Interleaved channels, 1…64.
    public let channels: Int

    var frameBytes: Int { encoding.bytesPerSample * channels }

    /// - Throws: `AudioFormatError.badRawFormat` for values outside `AudioLimits`.
    package init(encoding: SampleEncoding, sampleRate: Int, channels: Int) throws(AudioFormatError) {
        guard AudioLimits.sampleRates.contains(sampleRate), AudioLimits.channels.contains(channels) else {
            throw .badRawFormat("\(encoding.rawValue):\(sampleRate):\(channels)")
        }
        self.encoding = encoding
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Parses `ENCODING`, `ENCODING:RATE` or `ENCODING:RATE:CHANNELS`; the defaults are 16000 Hz and one channel.
    ///
    /// - Throws: `AudioFormatError.badRawFormat`.
    public init(_ text: String) throws(AudioFormatError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), let encoding = SampleEncoding(rawValue: parts[0]),
            let rate = parts.count > 1 ? Self.digits(parts[1]) : AudioChunk.sampleRate,
            let channels = parts.count > 2 ? Self.digits(parts[2]) : 1,
            AudioLimits.sampleRates.contains(rate), AudioLimits.channels.contains(channels)
        else { throw .badRawFormat(text) }
        self.encoding = encoding
        self.sampleRate = rate
        self.channels = channels
    }

    private static func digits(_ text: String) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }
}

/// Raw samples without a header, in a layout given by the caller.
struct PCMSource: AudioSource {
    let duration: Duration?
    private let file: OpenFile
    private let format: RawFormat
    /// The channel to read, counted from 0; `nil` mixes all.
    private var channel: Int?
    private var diagnostics = SharedDiagnostics()

    init(_ file: OpenFile, format: RawFormat) throws(AudioFormatError) {
        guard try !file.bytes(at: 0, count: 1).isEmpty else { throw .emptyFile(file.name) }
        self.file = file
        self.format = format
        let frames = file.size.map { $0 / format.frameBytes }
        if let frames, frames / format.sampleRate > AudioLimits.maxSeconds { throw .tooLong(file.name) }
        duration = frames.map { .seconds(Double($0) / Double(format.sampleRate)) }
    }

    /// Each channel as a separate source.
    var channels: [PCMSource] {
        (0..<format.channels).map { channel in
            var source = self
            source.channel = channel
            source.diagnostics = SharedDiagnostics()
            return source
        }
    }

    var warnings: [AudioFile.Warning] { diagnostics.current.warnings }

    func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        ChunkStream.start { [file, format, channel, diagnostics] in
            PCMReader(ByteReader(file), format: format, channel: channel, diagnostics: diagnostics)
        }
    }
}
