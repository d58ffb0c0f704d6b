import Synchronization

/// The kinds of network operations that `MeasuringBackend` distinguishes.
package enum NetworkOperation: Sendable, Hashable {
    /// With a weight, by the name of its first tensor.
    case product(String)
    /// Over a whole window.
    case attention
    /// Over earlier tokens.
    case cachedAttention
    case crossAttention
    /// Storing the keys and values of a window.
    case crossFill
    case gate
    case convolveRows
    case halve

    package var isProduct: Bool {
        if case .product = self { true } else { false }
    }
}

/// How often an operation was executed, how long it took and what it had to do.
package struct OperationTally: Sendable {
    package var calls = 0
    package var time = Duration.zero
    package var operations = 0
    /// Operations of the instructions of each format that multiply.
    package var executed: [TileKind: Int] = [:]
    package var bytes = 0

    package init() {}

    package mutating func add(_ other: OperationTally) {
        calls += other.calls
        time += other.time
        operations += other.operations
        bytes += other.bytes
        executed.merge(other.executed, uniquingKeysWith: +)
    }

    package mutating func add(_ work: OperationWork) {
        operations += work.operations
        executed[work.kind, default: 0] += work.operations * work.passes
        bytes += work.bytes
    }
}

/// What a `MeasuringBackend` has executed.
package final class OperationLog: Sendable {
    private struct State {
        var operations: [NetworkOperation] = []
        /// Of each operation.
        var tallies: [OperationTally] = []
        /// Operations in the order of their first call.
        var order: [Int] = []
        /// The time of what belongs to the next operation.
        var before = Duration.zero
    }

    private let state = Mutex(State())

    /// - Returns: a number for `record`.
    func number(of operation: NetworkOperation) -> Int {
        state.withLock { state in
            if let number = state.operations.firstIndex(of: operation) { return number }
            state.operations.append(operation)
            state.tallies.append(OperationTally())
            return state.operations.count - 1
        }
    }

    func record(_ number: Int, _ work: OperationWork, _ time: Duration) {
        state.withLock { state in
            if state.tallies[number].calls == 0 { state.order.append(number) }
            state.tallies[number].calls += 1
            state.tallies[number].time += time + state.before
            state.tallies[number].add(work)
            state.before = .zero
        }
    }

    /// Records what prepares the next operation, such as a layer norm.
    func recordBeforeNext(_ time: Duration) { state.withLock { $0.before += time } }

    /// Records what completes the last operation that was called for the first time.
    func recordAfterLast(_ time: Duration) {
        state.withLock { state in
            if let last = state.order.last { state.tallies[last].time += time }
        }
    }

    /// Returns what was executed since the last call, in the order of the first calls.
    package func take() -> [(operation: NetworkOperation, tally: OperationTally)] {
        state.withLock { state in
            let taken = state.order.map { (state.operations[$0], state.tallies[$0]) }
            state.tallies = state.tallies.map { _ in OperationTally() }
            state.order = []
            state.before = .zero
            return taken
        }
    }
}
