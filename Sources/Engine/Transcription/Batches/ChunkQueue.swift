import Dispatch
import EngineModels
import Synchronization

/// Passes chunks of a recording from the thread that finds them to those that decode them.
final class ChunkQueue: Sendable {
    private struct State {
        var chunks: [RecordingChunk] = []
        /// Number of chunks removed.
        var removed = 0
        /// Number of threads waiting in `next`.
        var waiting = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)

    /// Total number of chunks; `nil` while more may be added.
    var finalCount: Int? { state.withLock { $0.isClosed ? $0.chunks.count : nil } }

    /// Adds a chunk unless the queue is closed.
    func append(_ chunk: RecordingChunk) {
        wake(
            state.withLock { state in
                if !state.isClosed {
                    state.chunks.append(chunk)
                    state.chunks[state.chunks.count - 1].number = state.chunks.count - 1
                }
                return min(1, state.waiting)
            })
    }

    /// Ends the queue: no more chunks can be added.
    ///
    /// - Parameter dropsRest: discards chunks that have not been removed.
    func close(dropsRest: Bool = false) {
        wake(
            state.withLock { state in
                state.isClosed = true
                if dropsRest { state.chunks.removeLast(state.chunks.count - state.removed) }
                return state.waiting
            })
    }

    /// Waits for the next chunk and removes it.
    ///
    /// - Returns: `nil` after the last chunk.
    func next() -> RecordingChunk? {
        while true {
            let (next, isClosed) = state.withLock { state -> (RecordingChunk?, Bool) in
                guard state.removed < state.chunks.count else {
                    if !state.isClosed { state.waiting += 1 }
                    return (nil, state.isClosed)
                }
                defer { state.removed += 1 }
                return (state.chunks[state.removed], false)
            }
            if let next { return next }
            if isClosed { return nil }
            available.wait()
            state.withLock { $0.waiting -= 1 }
        }
    }

    private func wake(_ count: Int) { for _ in 0..<count { available.signal() } }
}
