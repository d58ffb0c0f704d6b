import EngineBasics

/// The identity of a live session: a random UUID (version 4) in lower case.
public struct SessionID: Sendable, Hashable, Codable, CustomStringConvertible {
    public let description: String

    /// Creates a new random identity.
    public init() {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = bytes.map { Digits.hexadecimal($0) }
        description = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    /// Restores a stored identity; the text is not checked.
    package init(_ text: String) { description = text }
}
