import Dispatch
import EngineCompute
import EngineModels
import Synchronization

/// One network shared by several threads, each decoding its own window: their steps are computed together.
///
/// A thread that requests a step waits until all others have requested one too or have left; the last one computes the
/// steps of all. Which windows share a step thus depends only on the windows, not on the speed of threads.
///
/// Invariant: `encoder` and `batch` are accessed only inside `exclusively`. The `results` of a slot are written before its
/// semaphore is signaled and read after.
final class BatchNetwork: @unchecked Sendable {
    private struct Request {
        /// Requests are sorted by it, so that a window's row always has the same index.
        let order: Int
        let continuation: WindowBatch.Continuation
    }

    private struct State {
        /// Number of threads that are neither waiting nor gone.
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

    /// - Parameter slots: number of windows decoded in parallel, which is also the number of threads.
    init(_ model: WhisperModel, slots: Int, rowsPerWindow: Int) throws {
        self.model = model
        encoder = try AudioEncoder(model)
        batch = try WindowBatch(model, windows: slots, rowsPerWindow: rowsPerWindow)
        state = Mutex(State(running: slots, results: [[[Float]]](repeating: [], count: slots)))
        answers = (0..<slots).map { _ in DispatchSemaphore(value: 0) }
    }

    /// A window's slot in the batch.
    ///
    /// - Parameter order: of the window among all; unique among the threads.
    func slot(_ index: Int, order: Int) -> Slot { Slot(network: self, index: index, order: order) }

    /// Asks all threads to stop.
    func stop() { state.withLock { $0.isStopped = true } }

    /// - Throws: `CancellationError` after `stop()`.
    func checkStopped() throws {
        if state.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// Must be called once by each thread when it needs no more steps.
    func leave() { compute(state.withLock { Self.markIdle(&$0) }) }

    /// Runs `body` while no other thread uses the network.
    private func exclusively<R>(_ body: () throws -> R) rethrows -> R {
        try turn.withLock { _ in try body() }
    }

    /// - Parameter logits: as in `TokenScorer.advance`.
    private func advance(_ continuation: WindowBatch.Continuation, order: Int, into logits: inout [[Float]]) {
        let slot = continuation.window
        let due = state.withLock { state in
            swap(&state.results[slot], &logits)
            state.requests.append(Request(order: order, continuation: continuation))
            return Self.markIdle(&state)
        }
        compute(due)
        answers[slot].wait()
        state.withLock { swap(&$0.results[slot], &logits) }
    }

    /// Counts one thread less as running.
    ///
    /// - Returns: the steps to compute if it was the last one.
    private static func markIdle(_ state: inout State) -> [Request] {
        state.running -= 1
        guard state.running == 0 else { return [] }
        defer { state.requests = [] }
        return state.requests.sorted { $0.order < $1.order }
    }

    private func compute(_ requests: [Request]) {
        if requests.isEmpty { return }
        let continuations = requests.map(\.continuation)
        // All other threads are waiting, so that none accesses the results.
        var logits = state.withLock { state in
            continuations.map { continuation in
                var rows: [[Float]] = []
                swap(&state.results[continuation.window], &rows)
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

    /// The network as one window uses it.
    final class Slot: WindowNetwork, TokenScorer {
        private let network: BatchNetwork
        private let index: Int
        private let order: Int

        fileprivate init(network: BatchNetwork, index: Int, order: Int) {
            self.network = network
            self.index = index
            self.order = order
        }

        var model: WhisperModel { network.model }
        var scorer: any TokenScorer { self }
        var vocabularySize: Int { model.dimensions.nVocab }
        var contextLength: Int { model.dimensions.nTextCtx }

        func expect(_ needs: ScoreNeeds?) {
            network.exclusively { network.batch.expect(needs, of: index) }
        }

        func attend(to logMel: [Float], extent: AudioExtent) {
            network.exclusively {
                let silence = model.silence(after: extent)
                network.batch.attend(
                    index, to: network.encoder.encode(logMel, positions: extent.positions, then: silence), then: silence
                )
            }
        }

        func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
            network.exclusively { network.batch.start(index, tokens, logitsAt: positions) }
        }

        func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
            network.advance(
                WindowBatch.Continuation(window: index, tokens: tokens, sources: sources), order: order, into: &logits)
        }

        func truncate(to count: Int) {
            network.exclusively { network.batch.truncate(index, to: count) }
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
