import CKernels
import EngineBasics
import Glibc
import Synchronization

/// A thread pool that runs the parts of one operation after another in parallel.
///
/// While operations follow each other closely the workers spin, so that joining costs a microsecond or two; after a
/// short idle time they sleep. The caller works too, and waits only for workers that have claimed a part, so a worker
/// that the system has preempted delays nothing.
///
/// Several recognitions at a time get a group of threads each, because a small operation on many threads is mostly waiting for
/// them. With as many recognitions as threads, each stays on its own thread.
///
/// Invariant: only one thread at a time runs an operation in a lane (`gate`). A worker reads a lane's `job` only after
/// claiming a part of it, and while it is counted in `active`; `run` returns when every part is claimed and no worker is
/// active, so the job's closure never outlives its caller.
@safe
package final class WorkerPool: @unchecked Sendable {
    package let threads: Int
    /// A group of threads works in the lane of its number.
    private let lanes: [Lane]
    private let recognitions: @Sendable () -> Int
    private let hasFixedParts: Bool
    private let groups = Atomic<Int>(1)
    /// Workers that have started.
    private let started = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private var handles: [pthread_t] = []
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// About 50 µs on current processors, longer than the gaps between the operations of a decoder step.
    private static let spins = 2_000

    private final class Lane {
        let gate = Mutex(())
        /// The number of parts in the upper half, the next part to claim in the lower half.
        let ticket = Atomic<UInt64>(0)
        let active = Atomic<Int>(0)
        let sleepers = Atomic<Int>(0)
        var job: ((Int) -> Void)?

        var isOpen: Bool { Self.isOpen(ticket.load(ordering: .sequentiallyConsistent)) }

        func claimPart() -> Int? {
            let claimed = ticket.add(1, ordering: .sequentiallyConsistent).oldValue
            return Self.isOpen(claimed) ? Int(claimed & 0xffff_ffff) : nil
        }

        /// Not inlined, so that the job's closure is released before `active` is decremented.
        @inline(never)
        func runParts() {
            while let part = claimPart() { job?(part) }
        }

        private static func isOpen(_ ticket: UInt64) -> Bool { ticket & 0xffff_ffff < ticket >> 32 }
    }

    /// - Parameters:
    ///   - hasFixedParts: whether operations are divided in the same way however many threads take part, because the results
    ///     depend on it.
    ///   - recognitions: how many compute at this moment.
    package init(
        threads: Int, hasFixedParts: Bool = false,
        recognitions: @escaping @Sendable () -> Int = { ComputeExecutor.recognitions }
    ) {
        self.hasFixedParts = hasFixedParts
        self.threads = max(1, threads)
        self.recognitions = recognitions
        lanes = (0..<max(1, threads)).map { _ in Lane() }
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
        wakeAll()
        for handle in handles { pthread_join(handle, nil) }
        unsafe pthread_cond_destroy(wakeUp)
        unsafe pthread_mutex_destroy(lock)
        unsafe wakeUp.deallocate()
        unsafe lock.deallocate()
    }

    /// The threads among which an operation is divided.
    var sharers: Int { hasFixedParts ? threads : max(1, threads / regroup()) }

    /// Calls `body` once for each part in 0..<parts, on any thread, and returns when all have finished.
    package func run(parts: Int, _ body: (Int) -> Void) {
        if parts > 1, !handles.isEmpty {
            let groups = regroup()
            // Where each recognition has one thread, no worker would join it.
            if groups < threads {
                for lane in lanes.prefix(groups)
                where lane.gate.withLockIfAvailable({ _ in run(parts, in: lane, body) }) != nil {
                    return
                }
            }
        }
        for part in 0..<max(0, parts) { body(part) }
    }

    private func run(_ parts: Int, in lane: Lane, _ body: (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            lane.job = body
            lane.ticket.store(UInt64(parts) << 32, ordering: .sequentiallyConsistent)
            if lane.sleepers.load(ordering: .sequentiallyConsistent) > 0 { wakeAll() }
            lane.runParts()
            var spun = 0
            while lane.active.load(ordering: .sequentiallyConsistent) > 0 {
                spun += 1
                // A worker may be waiting for this core, so stop spinning and yield.
                if spun < Self.spins { ck_pause() } else { sched_yield() }
            }
            lane.job = nil
        }
    }

    /// Returns the number of groups, one for each recognition that computes at this moment.
    private func regroup() -> Int {
        let wanted = min(max(1, recognitions()), threads)
        if groups.load(ordering: .relaxed) != wanted {
            groups.store(wanted, ordering: .sequentiallyConsistent)
            wakeAll()
        }
        return wanted
    }

    /// Where a worker works; `nil` if the callers need its core.
    private func lane(of worker: Int) -> Lane? {
        let groups = groups.load(ordering: .sequentiallyConsistent)
        return worker < threads - groups ? lanes[worker % groups] : nil
    }

    private func work() {
        let worker = started.add(1, ordering: .relaxed).oldValue
        var spun = 0
        while !stopping.load(ordering: .relaxed) {
            let lane = lane(of: worker)
            if let lane, lane.isOpen {
                spun = 0
                lane.active.add(1, ordering: .sequentiallyConsistent)
                lane.runParts()
                lane.active.subtract(1, ordering: .sequentiallyConsistent)
            } else if lane != nil, spun < Self.spins {
                spun += 1
                ck_pause()
            } else {
                sleepUntilWork(worker)
                spun = 0
            }
        }
    }

    private func wakeAll() {
        unsafe pthread_mutex_lock(lock)
        unsafe pthread_cond_broadcast(wakeUp)
        unsafe pthread_mutex_unlock(lock)
    }

    private func sleepUntilWork(_ worker: Int) {
        unsafe pthread_mutex_lock(lock)
        while !stopping.load(ordering: .sequentiallyConsistent) {
            let lane = lane(of: worker)
            lane?.sleepers.add(1, ordering: .sequentiallyConsistent)
            defer { lane?.sleepers.subtract(1, ordering: .sequentiallyConsistent) }
            if lane?.isOpen == true { break }
            unsafe pthread_cond_wait(wakeUp, lock)
        }
        unsafe pthread_mutex_unlock(lock)
    }
}
