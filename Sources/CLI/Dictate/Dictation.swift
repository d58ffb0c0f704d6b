import Synchronization
import WhisperEngine

/// The sound of one press, and whether it is still wanted.
final class Dictation: Sendable {
    private struct State {
        var session: StreamingSession?
        var isDropped = false
    }

    let sound: AsyncStream<[Float]>
    private let state = Mutex(State())

    init(sound: AsyncStream<[Float]>) { self.sound = sound }

    var isDropped: Bool { state.withLock { $0.isDropped } }

    /// The session that hears it, to be ended early when it is dropped.
    func attach(_ session: StreamingSession) {
        let isDropped = state.withLock { state in
            state.session = session
            return state.isDropped
        }
        if isDropped { Task { await session.cancel() } }
    }

    func drop() {
        let session = state.withLock { state in
            state.isDropped = true
            return state.session
        }
        if let session { Task { await session.cancel() } }
    }
}
