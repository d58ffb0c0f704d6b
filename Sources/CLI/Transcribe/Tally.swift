/// What came of the inputs of a run.
struct Tally {
    enum Outcome: Equatable {
        case done
        /// All its files were there already.
        case skipped
        /// Ended early, by a signal or because nobody reads the output any more.
        case stopped
    }

    private(set) var done = 0
    private(set) var skipped = 0
    private(set) var failed = 0
    /// That of the first failure.
    private(set) var status = ExitStatus.success

    mutating func add(_ outcome: Outcome) {
        switch outcome {
        case .done: done += 1
        case .skipped: skipped += 1
        case .stopped: break
        }
    }

    mutating func addFailure(_ status: ExitStatus) {
        failed += 1
        if self.status == .success { self.status = status }
    }
}
