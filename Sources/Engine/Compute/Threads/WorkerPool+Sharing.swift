extension WorkerPool {
    /// How many parts an operation should have: several per thread, because cores may also be busy otherwise.
    var usefulParts: Int { 3 * sharers }

    /// Splits 0..<count into ranges of at least `minimum`.
    func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) {
        let parts = sharers == 1 ? 1 : min(usefulParts, max(1, count / max(1, minimum)))
        run(parts: parts) { part in body((count * part / parts)..<(count * (part + 1) / parts)) }
    }

    /// `share` of a range in multiples of `unit` from its start.
    func share(_ range: Range<Int>, minimum: Int, unit: Int = 1, _ body: (Range<Int>) -> Void) {
        share((range.count + unit - 1) / unit, minimum: minimum) { units in
            let first = range.lowerBound + units.lowerBound * unit
            body(first..<min(range.lowerBound + units.upperBound * unit, range.upperBound))
        }
    }
}
