/// What a reader of updates knows: finals, to which is only ever added, and at most one volatile segment.
public struct TranscriptState: Sendable, Equatable {
    public private(set) var finalized: [TranscriptSegment] = []
    public private(set) var volatile: TranscriptSegment?
    /// Id that the next final will have.
    public private(set) var nextID: Int
    /// End of the last final in seconds.
    public private(set) var end: Double

    /// - Parameters:
    ///   - firstID: id of the first final to come; above 0 where a session was resumed.
    ///   - startingAt: seconds on the session's clock where the first final may start.
    public init(firstID: Int = 0, startingAt: Double = 0) {
        nextID = firstID
        end = startingAt
    }

    /// Text of all finals and of the volatile.
    public var text: String { finalized.map(\.text).joined() + (volatile?.text ?? "") }

    /// Takes an update; those that are about no segment change nothing.
    ///
    /// - Throws: where the update breaks a rule; the state is then as before.
    public mutating func apply(_ update: TranscriptUpdate) throws(TranscriptStateError) {
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

    private func check(_ segment: TranscriptSegment, isFinal: Bool) throws(TranscriptStateError) {
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
