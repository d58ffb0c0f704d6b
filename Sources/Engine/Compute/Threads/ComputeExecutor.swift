import Dispatch

/// Runs an actor's work on a thread of its own.
///
/// Swift's tasks share as many threads as there are cores. A recognition computes for minutes without giving its
/// thread back; on theirs it would keep others from starting, such as the one that wants to cancel it.
///
/// Invariant: a job refers to this executor without owning it only while the queue's closure holds it.
package final class ComputeExecutor: SerialExecutor {
    // Serial queues take threads beyond the number of cores where all are busy.
    private let queue = DispatchQueue(label: "whisper-local.recognizer")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// For an actor's `unownedExecutor`, which lives no longer than the actor that owns this executor.
    @safe
    package var reference: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// The result of `body`, called on this executor's thread.
    func result<R: Sendable>(of body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
