import Glibc
package import WhisperEngine

/// `logprobs`: how probable each token of the text is.
package struct TokenLogprobs: Sendable {
    /// The value that the cloud services send for a probability of zero.
    private static let least = -9999.0

    private let spelling: any TokenSpelling

    /// - Parameter spelling: that of the model which made the transcript.
    package init(_ spelling: any TokenSpelling) { self.spelling = spelling }

    /// The tokens of segments, without timestamps. Their bytes are those of the segments' texts.
    func json(_ segments: [TranscriptSegment]) -> String {
        JSONText.array(
            segments.flatMap { zip($0.tokens, $0.tokenLogprobs ?? []) }.compactMap { (token, logprob) -> String? in
                guard let bytes = spelling.textBytes(of: token) else { return nil }
                return JSONText.object([
                    ("token", JSONText.string(Self.text(bytes))),
                    ("logprob", Self.number(logprob)),
                    ("bytes", JSONText.array(bytes.map { "\($0)" })),
                ])
            })
    }

    /// The logarithm of a probability, 0…1.
    static func json(_ probability: Double) -> String { number(probability > 0 ? log(probability) : least) }

    private static func number(_ logprob: Double) -> String { JSONText.statistic(max(least, min(0, logprob))) }

    /// A character may be split across tokens. As in OpenAI's responses, such a token is written as `\xf0\x9f`.
    private static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
        }.joined()
    }
}
