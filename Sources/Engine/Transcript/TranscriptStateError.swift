/// An update that breaks a rule of the transcript: an error of the program that sent it.
public enum TranscriptStateError: Error, Equatable, Sendable {
    case wrongKind(id: Int, isFinal: Bool)
    case wrongID(expected: Int, found: Int)
    /// It starts before the last final ends.
    case overlap(id: Int, start: Double, previousEnd: Double)
    /// It, or a word in it, ends before its start, or a word lies outside or before another.
    case backwards(id: Int, start: Double, end: Double)
}

extension TranscriptStateError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongKind(let id, let isFinal):
            "segment \(id) came as \(isFinal ? "volatile but is marked final" : "final but is marked volatile")"
        case .wrongID(let expected, let found):
            "segment \(found) came where \(expected) was due"
        case .overlap(let id, let start, let previousEnd):
            "segment \(id) starts at \(start) s, before the last final ends at \(previousEnd) s"
        case .backwards(let id, let start, let end):
            "segment \(id) has times out of order: \(start) s to \(end) s"
        }
    }
}
