import EngineBasics

/// Why a live session cannot start or continue.
public enum StreamingError: Error, Equatable, Sendable {
    /// A property of `StreamingOptions` is out of range.
    case outOfRange(option: String, allowed: String)
    /// Decoding failed repeatedly. The audio from second `from` on was not recognized; finals before that are kept.
    case decodingFailed(reason: String, from: Double)
    /// The journal could not store `unsaved` finals that the session has published.
    case journalFailed(reason: String, unsaved: Int)
    /// There was no space to queue the audio from second `from` on.
    case spoolFailed(reason: String, from: Double)
}

extension StreamingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outOfRange(let option, let allowed): "\(option) is out of range: it must be \(allowed)"
        case .decodingFailed(let reason, let from):
            "recognition failed repeatedly at \(Self.rounded(from)) s: \(reason)"
        case .journalFailed(let reason, let unsaved):
            "\(Counted.text(unsaved, "final")) could not be stored: \(reason)"
        case .spoolFailed(let reason, let from): "audio from \(Self.rounded(from)) s on could not be queued: \(reason)"
        }
    }

    private static func rounded(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}
