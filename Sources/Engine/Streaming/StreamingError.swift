/// Why a live session cannot start or go on.
public enum StreamingError: Error, Equatable, Sendable {
    case outOfRange(option: String, allowed: String)
    /// The sound from second `from` on was heard but not recognized.
    case decodingFailed(reason: String, from: Double)
    /// Finals that were shown and not written down.
    case journalFailed(reason: String, unsaved: Int)
    /// No room for the sound that waits to be decoded.
    case spoolFailed(reason: String, from: Double)
}

extension StreamingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outOfRange(let option, let allowed):
            "\(option) is out of range; give \(allowed)"
        case .decodingFailed(let reason, let from):
            "recognition failed three times at \(Self.text(from)) s: \(reason); what was final before is kept, start again"
        case .journalFailed(let reason, let unsaved):
            "\(unsaved) lines could not be written to the session: \(reason); make room there and copy them from here"
        case .spoolFailed(let reason, let from):
            "sound from \(Self.text(from)) s on could not be put aside: \(reason); take a smaller model or a larger step"
        }
    }

    private static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}
