/// The newest sound of a session, by its place on the session's clock.
struct AudioBuffer {
    /// Sample of the session that the buffer begins with.
    private(set) var start: Int
    private var samples: [Float] = []
    private var first = 0

    init(start: Int) { self.start = start }

    var end: Int { start + samples.count - first }

    mutating func append(_ new: ArraySlice<Float>) { samples += new }

    /// The part of `range` that is there.
    func read(_ range: Range<Int>) -> [Float] {
        let there = range.clamped(to: start..<end)
        return Array(samples[(there.lowerBound - start + first)..<(there.upperBound - start + first)])
    }

    /// Forgets what lies before `position`.
    mutating func drop(before position: Int) {
        let position = min(position, end)
        guard position > start else { return }
        first += position - start
        start = position
        // Moving the rest forward now and then costs less than doing it each time.
        if first > 160_000 || first == samples.count {
            samples.removeSubrange(..<first)
            first = 0
        }
    }

    /// Middle of the quietest 0.2 s in `range` (mean square, every 20 ms, the earliest of equal ones); `nil` where less
    /// is there.
    func quietest(in range: Range<Int>) -> Int? {
        let span = AudioChunk.sampleRate / 5, hop = AudioChunk.sampleRate / 50
        let there = range.clamped(to: start..<end)
        guard there.count >= span else { return nil }
        let hops = stride(from: there.lowerBound, through: there.upperBound - hop, by: hop).map { from in
            (from..<(from + hop)).reduce(0.0) { sum, at in
                let value = Double(samples[at - start + first])
                return sum + value * value
            }
        }
        let width = span / hop
        var best = 0, least = Double.infinity
        for at in 0...(hops.count - width) {
            let power = hops[at..<(at + width)].reduce(0, +)
            if power < least { (best, least) = (at, power) }
        }
        return there.lowerBound + best * hop + span / 2
    }
}
