import Synchronization
import WhisperEngine

extension RecognitionQueue {
    /// A recognition and the callers waiting for it.
    final class Job: Sendable {
        typealias Waiter = CheckedContinuation<Result<Transcription, HTTPError>, Never>

        private struct State: ~Copyable {
            var task: Task<Void, Never>?
            var listeners: [Int: @Sendable (TranscriptUpdate) -> Void] = [:]
            var waiters: [Int: Waiter] = [:]
            var nextShare = 0
            /// Final segments and speech so far, for listeners that join later.
            var finals: [TranscriptUpdate] = []
            var result: Result<Transcription, HTTPError>?
        }

        let key: Key
        let work: Work
        private let state = Mutex(State())

        init(key: Key, work: @escaping Work) {
            self.key = key
            self.work = work
        }

        var task: Task<Void, Never>? {
            get { state.withLock { $0.task } }
            set { state.withLock { $0.task = newValue } }
        }

        /// Adds a listener, which gets the final segments and the speech so far.
        ///
        /// - Returns: the number of its share.
        func join(_ listener: @escaping @Sendable (TranscriptUpdate) -> Void) -> Int {
            state.withLock { state in
                // Under the lock, so that no update comes between.
                for update in state.finals { listener(update) }
                state.listeners[state.nextShare] = listener
                state.nextShare += 1
                return state.nextShare - 1
            }
        }

        func publish(_ update: TranscriptUpdate) {
            state.withLock { state in
                switch update {
                case .final: state.finals.append(update)
                case .event(let event): if case .heard = event.window { state.finals.append(update) }
                default: break
                }
                for listener in state.listeners.values { listener(update) }
            }
        }

        /// Resumes the waiter when the job is done or its share is given up.
        func wait(_ share: Int, _ waiter: Waiter) {
            let result: Result<Transcription, HTTPError>? = state.withLock { state in
                if let result = state.result { return result }
                guard state.listeners[share] != nil else { return .failure(.clientGone) }
                state.waiters[share] = waiter
                return nil
            }
            if let result { waiter.resume(returning: result) }
        }

        /// - Returns: whether this was the last share.
        func leave(_ share: Int) -> Bool {
            let (waiter, isLast) = state.withLock { state in
                let wasLast = state.listeners.removeValue(forKey: share) != nil && state.listeners.isEmpty
                return (state.waiters.removeValue(forKey: share), wasLast && state.result == nil)
            }
            waiter?.resume(returning: .failure(.clientGone))
            return isLast
        }

        func finish(_ result: Result<Transcription, HTTPError>) {
            let waiters = state.withLock { state in
                state.result = result
                state.listeners = [:]
                defer { state.waiters = [:] }
                return Array(state.waiters.values)
            }
            for waiter in waiters { waiter.resume(returning: result) }
        }
    }
}
