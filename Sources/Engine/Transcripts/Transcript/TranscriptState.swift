/// The transcript of a live session as its updates add up to it: append-only finals and at most one volatile segment.
///
/// The documented way to follow a `StreamingSession`: apply each update in order, then show `text`, or `finalized` and
/// `volatile`. Every update is checked against the rules of a session: ids are consecutive, times never run backwards,
/// and volatile text starts after the last final.
///
///     var state = TranscriptState()
///     for try await update in session.updates {
///         try state.apply(update)
///         show(state.text)
///     }
///
/// The updates of a recording follow weaker rules (segments without text are omitted, clips may go backwards); collect
/// its finals instead, or use the `Transcript` that `Recognizer.transcribe` returns.
public struct TranscriptState: Sendable, Equatable {
    public private(set) var finalized: [TranscriptSegment] = []
    public private(set) var volatile: TranscriptSegment?
    /// Id of the next final.
    public private(set) var nextID: Int
    /// End of the last final in seconds.
    public private(set) var end: Double

    /// - Parameters:
    ///   - firstID: id of the first final; above 0 for a resumed session.
    ///   - startingAt: earliest start of the first final, in seconds on the session's clock.
    public init(firstID: Int = 0, startingAt: Double = 0) {
        nextID = firstID
        end = startingAt
    }

    /// Text of all finals followed by that of the volatile segment.
    public var text: String { finalized.map(\.text).joined() + (volatile?.text ?? "") }

    /// Applies an update; updates that carry no segment change nothing.
    ///
    /// - Throws: `TranscriptState.InvalidUpdate` if the update breaks a rule; the state is then unchanged.
    public mutating func apply(_ update: TranscriptUpdate) throws(InvalidUpdate) {
        switch update {
        case .volatile(nil):
            volatile = nil
        case .volatile(let segment?):
            try check(segment, isFinal: false)
            volatile = segment
        case .final(let segment):
            try check(segment, isFinal: true)
            finalized.append(segment)
            nextID += 1
            end = segment.end
            volatile = nil
        case .progress, .language, .event, .status, .gap:
            break
        }
    }

    private func check(_ segment: TranscriptSegment, isFinal: Bool) throws(InvalidUpdate) {
        guard segment.isFinal == isFinal else { throw .wrongKind(id: segment.id, isFinal: segment.isFinal) }
        guard segment.id == nextID else { throw .wrongID(expected: nextID, found: segment.id) }
        guard segment.start >= end else { throw .overlap(id: segment.id, start: segment.start, previousEnd: end) }
        guard segment.end >= segment.start else {
            throw .backwards(id: segment.id, start: segment.start, end: segment.end)
        }
        var last = segment.start
        for word in segment.words ?? [] {
            guard word.start >= last, word.end >= word.start, word.end <= segment.end else {
                throw .backwards(id: segment.id, start: word.start, end: word.end)
            }
            last = word.end
        }
    }
}

extension TranscriptState {
    /// An update that breaks a rule of the transcript, which is a bug of its sender.
    public enum InvalidUpdate: Error, Equatable, Sendable {
        /// A final marked as volatile, or a volatile segment marked as final.
        case wrongKind(id: Int, isFinal: Bool)
        case wrongID(expected: Int, found: Int)
        /// The segment starts before the last final ends.
        case overlap(id: Int, start: Double, previousEnd: Double)
        /// The segment or one of its words ends before it starts, or a word lies outside the segment or overlaps the
        /// previous one.
        case backwards(id: Int, start: Double, end: Double)
    }
}

extension TranscriptState.InvalidUpdate: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongKind(let id, let isFinal):
            "segment \(id) was sent as \(isFinal ? "volatile but is marked final" : "final but is marked volatile")"
        case .wrongID(let expected, let found):
            "segment \(found) was sent, expected \(expected)"
        case .overlap(let id, let start, let previousEnd):
            "segment \(id) starts at \(start) s, before the last final ends at \(previousEnd) s"
        case .backwards(let id, let start, let end):
            "segment \(id) has times out of order: \(start) s to \(end) s"
        }
    }
}
