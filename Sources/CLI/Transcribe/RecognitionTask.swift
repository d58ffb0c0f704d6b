import Synchronization
import WhisperEngine

/// A transcription that can be cancelled before its task has been created.
final class RecognitionTask<Result: Sendable>: Sendable {
    private let state = Mutex<(task: Task<Result, any Error>?, isCancelled: Bool)>((nil, false))

    func start(_ task: Task<Result, any Error>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}
