// Invariant: the box that carries the body is made for one thread and taken over by it exactly once.
import Glibc

/// A POSIX thread for work that waits for a device, at real-time priority where the system allows it.
enum CaptureThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Signals go to other threads.
    ///
    /// - Throws: where the system has no thread left.
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

    /// Asks for the lowest real-time priority, which is above everything that is not real-time. Threads that are made
    /// from here do not inherit it. Where it is not permitted, the thread goes on as it is.
    static func raisePriority() {
        var parameters = sched_param()
        parameters.sched_priority = sched_get_priority_min(SCHED_FIFO)
        let resetOnFork: Int32 = 0x4000_0000
        _ = unsafe sched_setscheduler(0, SCHED_FIFO | resetOnFork, &parameters)
    }
}
