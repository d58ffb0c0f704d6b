import Dispatch
import Synchronization

/// Parts of a recording on their way from the thread that finds them to those that recognize them.
final class PartQueue: Sendable {
    private struct State {
        var parts: [KeptAudio] = []
        var taken = 0
        var waiting = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// How many parts there are, once no more will come.
    var finalCount: Int? { state.withLock { $0.isClosed ? $0.parts.count : nil } }

    func append(_ part: KeptAudio) {
        wake(
            state.withLock { state in
                if !state.isClosed { state.parts.append(part) }
                return min(1, state.waiting)
            })
    }

    /// No more parts will come.
    ///
    /// - Parameter dropsRest: those that nobody has taken are not to be recognized.
    func close(dropsRest: Bool = false) {
        wake(
            state.withLock { state in
                state.isClosed = true
                if dropsRest { state.parts.removeLast(state.parts.count - state.taken) }
                return state.waiting
            })
    }

    /// Waits for the next part.
    ///
    /// - Returns: `nil` when there are no more.
    func take() -> (number: Int, part: KeptAudio)? {
        while true {
            let (part, isClosed) = state.withLock { state -> ((Int, KeptAudio)?, Bool) in
                guard state.taken < state.parts.count else {
                    if !state.isClosed { state.waiting += 1 }
                    return (nil, state.isClosed)
                }
                defer { state.taken += 1 }
                return ((state.taken, state.parts[state.taken]), false)
            }
            if let part { return part }
            if isClosed { return nil }
            news.wait()
            state.withLock { $0.waiting -= 1 }
        }
    }

    private func wake(_ count: Int) { for _ in 0..<count { news.signal() } }
}
