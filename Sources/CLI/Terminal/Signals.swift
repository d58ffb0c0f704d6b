// Invariant: the waited-for signals are blocked before any other thread starts, and every thread inherits that; the
// main thread takes them with `sigtimedwait`, so no handler ever runs in the middle of other code.
import Glibc
import Synchronization

/// Ctrl-C and its like. The first one asks the work to stop and keep what it has, the second one ends the program at
/// once; before any work that could keep something has begun, the first one ends it.
package final class Signals: Sendable {
    /// Time that work asked to stop by SIGTERM or SIGHUP may still take.
    private static let grace: Duration = .seconds(5)

    /// Sent by `CrashReport`.
    static let crashed = SIGUSR2

    private struct State {
        var received: ExitStatus?
        var stop: (@Sendable () -> Void)?
        var keep: (@Sendable () -> Void)?
        var cleanUps: [@Sendable () -> Void] = []
        var deadline: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Ignores SIGPIPE and SIGXFSZ, whose writes then fail and are checked, and blocks SIGINT, SIGTERM, SIGHUP and
    /// `crashed` for `waitForever`, except for those that the caller had ignored (`nohup`, a shell's background job).
    package static func install() -> Signals {
        ignore(SIGPIPE)
        ignore(SIGXFSZ)
        var set = waitedFor
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        return Signals()
    }

    /// The rest of the main thread's life. (Swift's asynchronous `main` would end in `sigsuspend` with all signals
    /// let through.)
    package func waitForever() -> Never {
        while true { takeNext() }
    }

    /// The exit status of the first signal that came.
    package var received: ExitStatus? { state.withLock { $0.received } }

    /// From now on the first signal calls `stop` and leaves the ending to the work.
    ///
    /// - Parameter keep: called on the main thread when another one has crashed: keeps what the work has done so far.
    package func keepsWork(stop: @escaping @Sendable () -> Void, keep: @escaping @Sendable () -> Void) {
        state.withLock { ($0.stop, $0.keep) = (stop, keep) }
    }

    /// The work is done or given up: there is nothing to keep any more.
    package func endsWork() {
        state.withLock { $0.keep = nil }
    }

    /// Done on the main thread right before the program is ended at once.
    package func beforeAbort(_ cleanUp: @escaping @Sendable () -> Void) {
        state.withLock { $0.cleanUps.append(cleanUp) }
    }

    /// Waits a second at most, so that a deadline is seen.
    private func takeNext() {
        var set = Self.waitedFor
        var second = timespec(tv_sec: 1, tv_nsec: 0)
        let number = unsafe sigtimedwait(&set, nil, &second)
        if number == Self.crashed {
            state.withLock(\.keep)?()
            abort(CrashReport.status)
        } else if let status = Self.status(number) {
            take(status)
        } else if let late = state.withLock({ state in
            state.deadline.map { $0 < .now } == true ? state.received : nil
        }) {
            abort(late)
        }
    }

    private func take(_ status: ExitStatus) {
        let stop = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.received == nil, let stop = state.stop else { return nil }
            state.received = status
            if status != .interrupted { state.deadline = .now + Self.grace }
            return stop
        }
        guard let stop else { return abort(received ?? status) }
        stop()
    }

    private func abort(_ status: ExitStatus) {
        for cleanUp in state.withLock({ $0.cleanUps }) { cleanUp() }
        // Not `exit`: other threads are still at work.
        _exit(status.rawValue)
    }

    private static var waitedFor: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP, crashed] where !isIgnored(number) { unsafe sigaddset(&set, number) }
        return set
    }

    private static func status(_ number: Int32) -> ExitStatus? {
        switch number {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        case SIGHUP: .hangUp
        default: nil
        }
    }

    private static func ignore(_ number: Int32) {
        _ = signal(number, SIG_IGN)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignoring
    }
}
