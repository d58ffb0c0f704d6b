import Dispatch
import Synchronization

/// A serial executor that runs an actor's jobs on a dedicated thread.
///
/// Swift tasks share a pool of one thread per core. A recognition computes for minutes without yielding; in the pool it
/// could keep other tasks from starting, such as the one that wants to cancel it.
///
/// Invariant: a job has an unowned reference to this executor only while the queue's closure retains it.
package final class ComputeExecutor: SerialExecutor {
    // Dispatch starts threads for serial queues even if all cores are busy.
    private let queue = DispatchQueue(label: "whisper-local.actor")
    private let isRecognition: Bool

    private static let running = Atomic<Int>(0)

    /// The recognitions that compute at this moment, in the whole process.
    package static var recognitions: Int { running.load(ordering: .relaxed) }

    /// - Parameter isRecognition: whether its jobs compute on all the threads that they can get.
    package init(isRecognition: Bool = false) {
        self.isRecognition = isRecognition
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            if self.isRecognition { Self.running.add(1, ordering: .relaxed) }
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
            if self.isRecognition { Self.running.subtract(1, ordering: .relaxed) }
        }
    }

    /// For the `unownedExecutor` of an actor that owns this executor.
    @safe
    package var reference: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// Calls `body` on this executor's thread and returns its result.
    package func result<R: Sendable>(of body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
