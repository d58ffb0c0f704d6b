import CKernels
import Glibc
import Synchronization

/// A thread pool that runs the parts of one operation after another in parallel.
///
/// While operations follow each other closely the workers spin, so that joining costs a microsecond or two; after a
/// short idle time they sleep. The caller works too, and waits only for workers that have claimed a part, so a worker
/// that the system has preempted delays nothing.
///
/// Invariant: only one thread at a time executes `run` (`gate`). A worker reads `job` only after claiming a part of it,
/// and while it is counted in `active`; `run` returns when every part is claimed and no worker is active, so the job's
/// closure never outlives its caller.
@safe
package final class WorkerPool: @unchecked Sendable {
    package let threads: Int
    private let gate = Mutex(())
    /// The number of parts in the upper half, the next part to claim in the lower half.
    private let ticket = Atomic<UInt64>(0)
    private let active = Atomic<Int>(0)
    private let sleepers = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private var job: ((Int) -> Void)?
    private var handles: [pthread_t] = []
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// About 50 µs on current processors, longer than the gaps between the operations of a decoder step.
    private static let spins = 2_000

    package init(threads: Int) {
        self.threads = max(1, threads)
        unsafe pthread_cond_init(wakeUp, nil)
        unsafe pthread_mutex_init(lock, nil)
        for _ in 1..<max(1, threads) {
            var handle = pthread_t()
            // Unretained, so that the pool ends with its backend.
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

    /// Calls `body` once for each part in 0..<parts, on any thread, and returns when all have finished.
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
                while let part = claimPart() { body(part) }
                var spun = 0
                while active.load(ordering: .sequentiallyConsistent) > 0 {
                    spun += 1
                    // A worker may be waiting for this core, so stop spinning and yield.
                    if spun < Self.spins { ck_pause() } else { sched_yield() }
                }
                job = nil
            }
        }
    }

    private static func isOpen(_ ticket: UInt64) -> Bool { ticket & 0xffff_ffff < ticket >> 32 }

    private func claimPart() -> Int? {
        let claimed = ticket.add(1, ordering: .sequentiallyConsistent).oldValue
        return Self.isOpen(claimed) ? Int(claimed & 0xffff_ffff) : nil
    }

    private func work() {
        var spun = 0
        while !stopping.load(ordering: .relaxed) {
            if Self.isOpen(ticket.load(ordering: .relaxed)) {
                spun = 0
                active.add(1, ordering: .sequentiallyConsistent)
                runParts()
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

    /// Not inlined, so that the job's closure is released before `active` is decremented.
    @inline(never)
    private func runParts() {
        while let part = claimPart() { job?(part) }
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
