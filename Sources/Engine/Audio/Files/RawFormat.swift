/// The layout of samples without a header: `s16le:16000:1`.
public struct RawFormat: Equatable, Sendable {
    public let encoding: SampleEncoding
    /// Samples per second, within `AudioLimits.sampleRates`.
    public let sampleRate: Int
    /// Within `AudioLimits.channels`.
    public let channels: Int

    /// What a raw format looks like, for messages.
    static let usage =
        "ENCODING:RATE:CHANNELS such as s16le:16000:1; encodings: "
        + SampleEncoding.allCases.map(\.rawValue).joined(separator: " ")

    public init(encoding: SampleEncoding, sampleRate: Int, channels: Int) throws(AudioFormatError) {
        guard AudioLimits.sampleRates.contains(sampleRate), AudioLimits.channels.contains(channels) else {
            throw .badRawFormat("\(encoding.rawValue):\(sampleRate):\(channels)")
        }
        self.encoding = encoding
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// - Parameter text: `ENCODING`, `ENCODING:RATE` or `ENCODING:RATE:CHANNELS`; 16000 and 1 where left out.
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
