// Invariant: each retained body is released exactly once, by the thread started with it, or here if no thread starts.
import Glibc

/// A POSIX thread for blocking reads from a device, with real-time priority where permitted.
enum CaptureThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread with all signals blocked.
    ///
    /// - Throws: `CaptureError.noThread` if the system cannot create another thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws(CaptureError) {
        let box = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let failed = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box)
        guard failed == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(box).release()
            throw .noThread
        }
        pthread_detach(thread)
    }

    /// Requests the lowest real-time priority, which is above all normal threads. Child threads do not inherit it.
    /// Without permission, the priority stays unchanged.
    static func raisePriority() {
        var parameters = sched_param()
        parameters.sched_priority = sched_get_priority_min(SCHED_FIFO)
        let resetOnFork: Int32 = 0x4000_0000
        _ = unsafe sched_setscheduler(0, SCHED_FIFO | resetOnFork, &parameters)
    }
}
