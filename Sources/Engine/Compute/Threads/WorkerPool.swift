import CKernels
import Glibc
import Synchronization

/// Threads that share the parts of one operation after another.
///
/// While operations follow each other closely the workers spin, so that a join costs a microsecond or two; after a
/// short time without work they sleep. The caller works too, and waits only for workers that have taken a part: one
/// that the system has put aside holds nobody up.
///
/// Invariant: `run` is called by one thread at a time (`gate`). A worker reads `job` only after taking a part of it,
/// and between counting itself in and out of `active`; `run` returns when every part is taken and nobody is active, so
/// the job's closure never outlives its caller.
@safe
package final class WorkerPool: @unchecked Sendable {
    package let threads: Int
    private let gate = Mutex(())
    /// Number of parts in the upper half, next part to take in the lower.
    private let ticket = Atomic<UInt64>(0)
    private let active = Atomic<Int>(0)
    private let sleepers = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private var job: ((Int) -> Void)?
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
                ticket.store(UInt64(parts) << 32, ordering: .sequentiallyConsistent)
                if sleepers.load(ordering: .sequentiallyConsistent) > 0 {
                    unsafe pthread_mutex_lock(lock)
                    unsafe pthread_cond_broadcast(wakeUp)
                    unsafe pthread_mutex_unlock(lock)
                }
                while let part = takePart() { body(part) }
                var spun = 0
                while active.load(ordering: .sequentiallyConsistent) > 0 {
                    spun += 1
                    // A worker may stand still because others use its core: this thread must not keep it waiting.
                    if spun < Self.spins { ck_pause() } else { sched_yield() }
                }
                job = nil
            }
        }
    }

    private static func isOpen(_ ticket: UInt64) -> Bool { ticket & 0xffff_ffff < ticket >> 32 }

    private func takePart() -> Int? {
        let taken = ticket.add(1, ordering: .sequentiallyConsistent).oldValue
        return Self.isOpen(taken) ? Int(taken & 0xffff_ffff) : nil
    }

    private func work() {
        var spun = 0
        while !stopping.load(ordering: .relaxed) {
            if Self.isOpen(ticket.load(ordering: .relaxed)) {
                spun = 0
                active.add(1, ordering: .sequentiallyConsistent)
                takeParts()
                active.subtract(1, ordering: .sequentiallyConsistent)
            } else if spun < Self.spins {
                spun += 1
                ck_pause()
            } else {
                sleepUntilWork()
                spun = 0
            }
        }
    }

    /// Not inlined: the job's closure is let go before `active` goes down.
    @inline(never)
    private func takeParts() {
        while let part = takePart() { job?(part) }
    }

    private func sleepUntilWork() {
        unsafe pthread_mutex_lock(lock)
        sleepers.add(1, ordering: .sequentiallyConsistent)
        while !Self.isOpen(ticket.load(ordering: .sequentiallyConsistent)),
            !stopping.load(ordering: .sequentiallyConsistent)
        {
            unsafe pthread_cond_wait(wakeUp, lock)
        }
        sleepers.subtract(1, ordering: .sequentiallyConsistent)
        unsafe pthread_mutex_unlock(lock)
    }
}
