import CKernels
import Glibc
import Synchronization

/// Threads that share the parts of one operation after another.
///
/// While operations follow each other closely the workers spin, so that a join costs a microsecond or two; after a
/// short time without work they sleep. The caller works too.
///
/// Invariant: `run` is called by one thread at a time (a pool belongs to one backend, whose calls are serialised by
/// `gate`), and returns only when no worker touches the job any more; so the job's closure never outlives its caller.
@safe
package final class WorkerPool: @unchecked Sendable {
    package let threads: Int
    private let gate = Mutex(())
    private let generation = Atomic<Int>(0)
    private let nextPart = Atomic<Int>(0)
    private let pending = Atomic<Int>(0)
    private let sleepers = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private var job: ((Int) -> Void)?
    private var parts = 0
    private var handles: [pthread_t] = []
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// About 50 µs on current processors: longer than the gaps between a decoder step's operations.
    private static let spins = 2_000

    package init(threads: Int) {
        self.threads = max(1, threads)
        unsafe pthread_cond_init(wakeUp, nil)
        unsafe pthread_mutex_init(lock, nil)
        for _ in 1..<max(1, threads) {
            var handle = pthread_t()
            // The worker holds no strong reference: the pool ends when its backend does.
            let worker = unsafe Unmanaged.passUnretained(self).toOpaque()
            let status = unsafe pthread_create(
                &handle, nil,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<WorkerPool>.fromOpaque(argument)._withUnsafeGuaranteedRef { $0.work() }
                    return nil
                }, worker)
            if status == 0 { handles.append(handle) }
        }
    }

    deinit {
        stopping.store(true, ordering: .sequentiallyConsistent)
        unsafe pthread_mutex_lock(lock)
        unsafe pthread_cond_broadcast(wakeUp)
        unsafe pthread_mutex_unlock(lock)
        for handle in handles { pthread_join(handle, nil) }
        unsafe pthread_cond_destroy(wakeUp)
        unsafe pthread_mutex_destroy(lock)
        unsafe wakeUp.deallocate()
        unsafe lock.deallocate()
    }

    /// Calls `body` once for each part 0..<parts, on any thread, and returns when all are done.
    package func run(parts: Int, _ body: (Int) -> Void) {
        guard parts > 1, !handles.isEmpty else {
            for part in 0..<max(0, parts) { body(part) }
            return
        }
        gate.withLock { _ in
            withoutActuallyEscaping(body) { body in
                job = body
                self.parts = parts
                nextPart.store(0, ordering: .relaxed)
                pending.store(handles.count, ordering: .relaxed)
                generation.add(1, ordering: .sequentiallyConsistent)
                if sleepers.load(ordering: .sequentiallyConsistent) > 0 {
                    unsafe pthread_mutex_lock(lock)
                    unsafe pthread_cond_broadcast(wakeUp)
                    unsafe pthread_mutex_unlock(lock)
                }
                takeParts(body)
                var spun = 0
                while pending.load(ordering: .acquiring) > 0 {
                    spun += 1
                    // A worker may stand still because others use its core: this thread must not keep it waiting.
                    if spun < Self.spins { pause() } else { sched_yield() }
                }
                job = nil
            }
        }
    }

    private func takeParts(_ body: (Int) -> Void) {
        while true {
            let part = nextPart.add(1, ordering: .relaxed).oldValue
            if part >= parts { return }
            body(part)
        }
    }

    private func work() {
        var seen = 0
        while true {
            var spun = 0
            while generation.load(ordering: .acquiring) == seen {
                if stopping.load(ordering: .relaxed) { return }
                spun += 1
                if spun < Self.spins { pause() } else { sleepUntilWork(after: seen) }
            }
            seen = generation.load(ordering: .acquiring)
            if let job { takeParts(job) }
            pending.subtract(1, ordering: .releasing)
        }
    }

    private func sleepUntilWork(after seen: Int) {
        unsafe pthread_mutex_lock(lock)
        sleepers.add(1, ordering: .sequentiallyConsistent)
        while generation.load(ordering: .sequentiallyConsistent) == seen,
            !stopping.load(ordering: .sequentiallyConsistent)
        {
            unsafe pthread_cond_wait(wakeUp, lock)
        }
        sleepers.subtract(1, ordering: .sequentiallyConsistent)
        unsafe pthread_mutex_unlock(lock)
    }

    @inline(__always)
    private func pause() { ck_pause() }
}
