import Dispatch
import Synchronization

/// One network that several threads use, each for a window of its own: their steps are made together.
///
/// A thread that wants a step waits until all others want one too or have left; the last to come makes the steps of
/// all. So which windows share a step depends on the windows alone, and not on the speed of threads.
///
/// Invariant: `encoder` and `batch` are touched only inside `exclusively`. `requests` and `results` of a place are
/// written before its semaphore is signalled and read after.
final class BatchNetwork: @unchecked Sendable {
    private struct Request {
        /// Requests are put in this order, so that a window's row is always in the same place.
        let order: Int
        let continuation: WindowBatch.Continuation
    }

    private struct State {
        /// Threads that compute.
        var running: Int
        var requests: [Request] = []
        var results: [[[Float]]]
        var isStopped = false
    }

    let model: WhisperModel
    private let encoder: AudioEncoder
    private let batch: WindowBatch
    private let turn = Mutex(())
    private let state: Mutex<State>
    private let answers: [DispatchSemaphore]

    /// - Parameter places: windows side by side; as many threads are expected.
    init(_ model: WhisperModel, places: Int, rowsPerWindow: Int) throws {
        self.model = model
        encoder = try AudioEncoder(model)
        batch = try WindowBatch(model, windows: places, rowsPerWindow: rowsPerWindow)
        state = Mutex(State(running: places, results: [[[Float]]](repeating: [], count: places)))
        answers = (0..<places).map { _ in DispatchSemaphore(value: 0) }
    }

    /// Runs `body` while no other thread uses the network or the recording.
    func exclusively<R>(_ body: () throws -> R) rethrows -> R {
        try turn.withLock { _ in try body() }
    }

    /// Asks all threads to end.
    func stop() { state.withLock { $0.isStopped = true } }

    func checkStopped() throws {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// A thread wants no more steps.
    func leave() { answer(state.withLock { Self.due(&$0) }) }

    /// - Parameter logits: as in `TokenScorer.advance`.
    fileprivate func advance(
        _ continuation: WindowBatch.Continuation, order: Int, into logits: inout [[Float]]
    ) {
        let place = continuation.window
        let due = state.withLock { state in
            swap(&state.results[place], &logits)
            state.requests.append(Request(order: order, continuation: continuation))
            return Self.due(&state)
        }
        answer(due)
        answers[place].wait()
        state.withLock { swap(&$0.results[place], &logits) }
    }

    /// Counts a thread out; the steps to make where it was the last.
    private static func due(_ state: inout State) -> [Request] {
        state.running -= 1
        guard state.running == 0 else { return [] }
        defer { state.requests = [] }
        return state.requests.sorted { $0.order < $1.order }
    }

    private func answer(_ requests: [Request]) {
        if requests.isEmpty { return }
        let continuations = requests.map(\.continuation)
        // Nobody else touches the results while all wait.
        var logits = state.withLock { state in
            continuations.map { one in
                var rows: [[Float]] = []
                swap(&state.results[one.window], &rows)
                return rows
            }
        }
        exclusively { batch.advance(continuations, into: &logits) }
        state.withLock { state in
            state.running = requests.count
            for index in continuations.indices {
                swap(&state.results[continuations[index].window], &logits[index])
            }
        }
        for request in requests { answers[request.continuation.window].signal() }
    }

    /// A window's place in the batch.
    ///
    /// - Parameter order: of the window among all; no two threads have the same.
    func place(_ index: Int, order: Int) -> Place { Place(network: self, index: index, order: order) }

    final class Place: WindowNetwork {
        private let network: BatchNetwork
        private let index: Int
        private let order: Int

        fileprivate init(network: BatchNetwork, index: Int, order: Int) {
            self.network = network
            self.index = index
            self.order = order
        }

        var vocabularySize: Int { network.model.dimensions.nVocab }
        var contextLength: Int { network.model.dimensions.nTextCtx }

        var positions: Int { network.encoder.positions }

        func expect(_ needs: ScoreNeeds?) {
            network.exclusively { network.batch.expect(needs, of: index) }
        }

        func hear(_ logMel: [Float], positions: Int) {
            network.exclusively {
                network.batch.attend(index, to: network.encoder.encode(logMel, positions: positions))
            }
        }

        func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
            network.exclusively { network.batch.start(index, tokens, logitsAt: positions) }
        }

        func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
            network.advance(
                WindowBatch.Continuation(window: index, tokens: tokens, sources: sources), order: order, into: &logits)
        }

        func align(
            _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
            eachRow: (_ position: Int, _ logits: [Float]) -> Void
        ) throws -> [[Float]] {
            network.exclusively {
                network.batch.align(index, tokens, heads: heads, columns: columns, rows: rows, eachRow: eachRow)
            }
        }
    }
}
