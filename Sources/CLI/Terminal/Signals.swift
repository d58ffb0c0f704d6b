// Invariant: the waited-for signals are blocked before any other thread starts, and every thread inherits that; the
// main thread takes them with `sigtimedwait`, so no handler ever runs in the middle of other code.
import Glibc
import Synchronization

/// Ctrl-C and its like. The first one asks the work to stop and keep what it has, the next ones go through what else
/// the work has named, the one after that ends the program at once; before any work that could keep something has begun,
/// the first one ends it.
///
/// Other signals do what they always do unless a command watches them.
package final class Signals: Sendable {
    /// Time that work asked to stop by SIGTERM or SIGHUP may still take.
    private static let grace: Duration = .seconds(5)

    /// Sent by `CrashReport`; nobody else sends this one to a program.
    static let crashed = SIGPWR

    /// What a command may watch.
    private static let watchable = [SIGWINCH, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2]

    private struct State {
        var received: ExitStatus?
        var stages: [@Sendable () -> Void] = []
        /// Ends asked for so far.
        var asked = 0
        var watchers: [Int32: @Sendable () -> Void] = [:]
        var keep: (@Sendable () -> Void)?
        var cleanUps: [@Sendable () -> Void] = []
        var deadline: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Ignores SIGPIPE and SIGXFSZ, whose writes then fail and are checked, and blocks SIGINT, SIGTERM, SIGHUP,
    /// `crashed` and what may be watched for `waitForever`, except for those that the caller had ignored (`nohup`, a shell's background job).
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

    /// How often an end was asked for.
    package var askedCount: Int { state.withLock { $0.asked } }

    /// From now on the first signal calls `stop` and leaves the ending to the work; the second one calls `cancel`, if
    /// there is one.
    ///
    /// - Parameter keep: called on the main thread when another one has crashed: keeps what the work has done so far.
    package func keepsWork(
        stop: @escaping @Sendable () -> Void, cancel: (@Sendable () -> Void)? = nil,
        keep: (@Sendable () -> Void)? = nil
    ) {
        state.withLock { ($0.stages, $0.keep) = ([stop] + (cancel.map { [$0] } ?? []), keep) }
    }

    /// The work is done or given up: there is nothing to keep any more.
    package func endsWork() {
        state.withLock { $0.keep = nil }
    }

    /// Calls `action` on the main thread for a signal that would do something else or nothing; `nil` ends that.
    package func watch(_ number: Int32, _ action: (@Sendable () -> Void)?) {
        state.withLock { $0.watchers[number] = action }
    }

    /// Lets the calling thread take a signal that was sent to this process, as if nobody had ever held it back: Ctrl-Z
    /// stops the program, others end it.
    package static func passOn(_ number: Int32) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), number)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
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
        } else if let action = state.withLock({ $0.watchers[number] }) {
            action()
        } else if let status = Self.status(number) {
            take(status)
        } else if Self.watchable.contains(number) {
            Self.passOn(number)
        } else if let late = state.withLock({ state in
            state.deadline.map { $0 < .now } == true ? state.received : nil
        }) {
            abort(late)
        }
    }

    private func take(_ status: ExitStatus) {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.stages.isEmpty else { return nil }
            if state.received == nil { state.received = status }
            if status != .interrupted, state.deadline == nil { state.deadline = .now + Self.grace }
            state.asked += 1
            return state.asked <= state.stages.count ? state.stages[state.asked - 1] : nil
        }
        guard let action else { return abort(received ?? status) }
        action()
    }

    private func abort(_ status: ExitStatus) {
        for cleanUp in state.withLock({ $0.cleanUps }) { cleanUp() }
        // Not `exit`: other threads are still at work.
        _exit(status.rawValue)
    }

    private static var waitedFor: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP, crashed] + watchable where !isIgnored(number) {
            unsafe sigaddset(&set, number)
        }
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
