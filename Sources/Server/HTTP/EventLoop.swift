import CSoup
import Glibc
import Synchronization

/// The thread that runs GLib's main loop. libsoup may be used only there, so everything that touches a connection is
/// isolated to this actor.
@globalActor
package actor EventLoop {
    package static let shared = EventLoop()
    private nonisolated let executor = LoopExecutor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Calls `body` on the loop, after everything posted before. May be called on any thread.
    nonisolated func post(_ body: @escaping @EventLoop @Sendable () -> Void) {
        executor.post {
            EventLoop.assumeIsolated(body)
            return false
        }
    }

    /// Calls `body` on the loop after a time, repeatedly while it returns `true`.
    nonisolated func post(everyMilliseconds interval: UInt32, _ body: @escaping @EventLoop @Sendable () -> Bool) {
        executor.post(interval: interval) { EventLoop.assumeIsolated(body) }
    }

    /// Calls `body`, which GLib runs on the loop without Swift knowing.
    nonisolated static func assumeIsolated<Result>(_ body: @EventLoop () throws -> Result) rethrows -> Result {
        shared.preconditionIsolated()
        typealias Plain = () throws -> Result
        // An isolated function differs from a plain one only in its type.
        return try withoutActuallyEscaping(body) { body in try unsafe unsafeBitCast(body, to: Plain.self)() }
    }
}

/// Runs jobs on the thread of GLib's main loop, which it starts for the first one.
///
/// Invariant: GLib calls and releases each posted closure exactly once, or once for each tick of a timer, on its loop.
private final class LoopExecutor: SerialExecutor, Sendable {
    private let thread = Mutex<pthread_t?>(nil)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        post {
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
            return false
        }
    }

    @safe
    var reference: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    func checkIsolated() {
        let isLoop = thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        precondition(isLoop, "called on another thread than the event loop's")
    }

    /// Calls `body` until it returns `false`.
    ///
    /// - Parameter interval: milliseconds between calls; `nil` calls as soon as possible.
    func post(interval: UInt32? = nil, _ body: @escaping @Sendable () -> Bool) {
        guard let soup = SoupLibrary.shared else { preconditionFailure("posted to an event loop without GLib") }
        startIfNeeded(soup)
        let box = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        let source = unsafe interval.map { soup.g_timeout_source_new($0) } ?? soup.g_idle_source_new()
        // Jobs have the same priority as socket events.
        unsafe soup.g_source_set_priority(source, G_PRIORITY_DEFAULT)
        unsafe soup.g_source_set_callback(
            source,
            { box in
                guard let box = unsafe box else { return 0 }
                return unsafe Unmanaged<Body>.fromOpaque(box).takeUnretainedValue().call() ? 1 : 0
            }, box, { box in if let box = unsafe box { unsafe Unmanaged<Body>.fromOpaque(box).release() } })
        _ = unsafe soup.g_source_attach(source, nil)
        unsafe soup.g_source_unref(source)
    }

    private func startIfNeeded(_ soup: SoupFunctions) {
        thread.withLock { thread in
            guard thread == nil else { return }
            var handle = pthread_t()
            let status = unsafe pthread_create(
                &handle, nil,
                { _ in
                    guard let soup = SoupLibrary.shared else { return nil }
                    let loop = soup.g_main_loop_new(nil, 0)
                    unsafe soup.g_main_loop_run(loop)
                    return nil
                }, nil)
            precondition(status == 0, "no thread for the event loop: error \(status)")
            thread = handle
        }
    }

    private final class Body: Sendable {
        let call: @Sendable () -> Bool
        init(_ call: @escaping @Sendable () -> Bool) { self.call = call }
    }
}
