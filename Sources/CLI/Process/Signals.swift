// Invariant: the awaited signals are blocked before any other thread starts, and every thread inherits that; the main
// thread receives them with `sigtimedwait`, so no handler ever interrupts other code.
import Glibc
import Synchronization

/// Handles Ctrl-C, SIGTERM and SIGHUP. The first signal asks the current work to stop and keep its results, the second one
/// cancels it if the work supports that, and the next one ends the program at once. Before any work has registered with
/// `onInterrupt`, the first signal ends the program.
///
/// Other signals have their usual effect unless a command watches them; those that end the program do so after the
/// registered clean-ups.
package final class Signals: Sendable {
    /// How long work may take to stop after SIGTERM or SIGHUP, unless it asks for more.
    package static let grace: Duration = .seconds(5)

    /// Sent by `CrashReport`; programs never receive it otherwise.
    static let crashed = SIGPWR

    /// The signals that a command may watch.
    private static let watchable = [SIGWINCH, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2]

    /// Signals that end a program by default. (Swift's runtime reports a crash for SIGQUIT and goes on.)
    private static let ending = [
        SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXCPU, SIGSTKFLT, SIGUSR1, SIGUSR2, crashed,
    ]

    private struct State {
        var received: ExitStatus?
        var stages: [@Sendable () -> Void] = []
        /// Signals received that ask the program to end.
        var interruptCount = 0
        var watchers: [Int32: @Sendable () -> Void] = [:]
        /// Signals that wait until they are watched.
        var held: Set<Int32> = []
        var save: (@Sendable () -> Void)?
        var cleanUps: [@Sendable () -> Void] = []
        var grace = Signals.grace
        var deadline: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Ignores SIGPIPE and SIGXFSZ, so that writes fail with an error instead, and blocks SIGINT, SIGTERM, SIGHUP, the
    /// watchable signals and those that end a program for `waitForever`, except those that were ignored when the program
    /// started (`nohup`, a background job of a shell).
    package static func install() -> Signals {
        ignore(SIGPIPE)
        ignore(SIGXFSZ)
        var set = awaited
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        return Signals()
    }

    /// Undoes `install` for a program that replaces this one: it would inherit what is blocked and ignored.
    static func reset() {
        setDefault(SIGPIPE)
        setDefault(SIGXFSZ)
        // Also for the main thread: the system ends all other threads.
        var none = signalSet([])
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// Runs on the main thread until the program ends. (Swift's asynchronous `main` would end in `sigsuspend` with all
    /// signals unblocked.)
    package func waitForever() -> Never {
        while true { handleNext() }
    }

    /// Whether the program was started with SIGINT ignored, as a shell without job control starts background jobs.
    static var isInterruptIgnored: Bool { isIgnored(SIGINT) }

    /// The exit status for the first signal that asked the program to end.
    package var received: ExitStatus? { state.withLock { $0.received } }

    /// How many signals have asked the program to end.
    package var interruptCount: Int { state.withLock { $0.interruptCount } }

    /// Registers the current work: the first signal calls `stop`, and the work then ends the program; the
    /// second one calls `cancel`, if given.
    ///
    /// - Parameters:
    ///   - saveOnCrash: called on the main thread when another thread has crashed, to save the results so far.
    ///   - grace: how long the work may take to stop after SIGTERM or SIGHUP.
    package func onInterrupt(
        stop: @escaping @Sendable () -> Void, cancel: (@Sendable () -> Void)? = nil,
        saveOnCrash: (@Sendable () -> Void)? = nil, grace: Duration = Signals.grace
    ) {
        state.withLock {
            ($0.stages, $0.save, $0.grace) = ([stop] + (cancel.map { [$0] } ?? []), saveOnCrash, grace)
        }
    }

    /// The work is over: there is nothing left to save on a crash.
    package func endWork() {
        state.withLock { $0.save = nil }
    }

    /// Calls `action` on the main thread for this signal instead of its usual effect; `nil` restores that.
    package func watch(_ number: Int32, _ action: (@Sendable () -> Void)?) {
        let wasHeld = state.withLock { state in
            state.watchers[number] = action
            return state.held.remove(number) != nil
        }
        guard wasHeld else { return }
        // The main thread does not wait for this signal until another one wakes it.
        defer { kill(getpid(), SIGWINCH) }
        var set = Self.signalSet([number])
        var now = timespec()
        if unsafe sigtimedwait(&set, nil, &now) == number { action?() }
    }

    /// Lets these signals wait until they are watched, because other programs may send them before this one is ready. Must be
    /// called before `waitForever`.
    func hold(_ numbers: Set<Int32>) {
        state.withLock { $0.held = numbers }
    }

    /// Sends a signal to this process with its usual effect: SIGTSTP stops the program, others end it.
    package static func raiseDefault(_ number: Int32) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), number)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Registers a clean-up that runs on the main thread right before the program is aborted.
    package func beforeAbort(_ cleanUp: @escaping @Sendable () -> Void) {
        state.withLock { $0.cleanUps.append(cleanUp) }
    }

    /// Waits at most one second, so that the deadline is checked.
    private func handleNext() {
        var set = Self.awaited
        for number in state.withLock(\.held) { unsafe sigdelset(&set, number) }
        var second = timespec(tv_sec: 1, tv_nsec: 0)
        let number = unsafe sigtimedwait(&set, nil, &second)
        if number == Self.crashed, CrashReport.hasReported {
            state.withLock(\.save)?()
            abort(CrashReport.status)
        } else if let action = state.withLock({ $0.watchers[number] }) {
            action()
        } else if let status = Self.status(number) {
            interrupt(status)
        } else if Self.ending.contains(number) {
            for cleanUp in state.withLock({ $0.cleanUps }) { cleanUp() }
            Self.setDefault(number)
            Self.raiseDefault(number)
        } else if Self.watchable.contains(number) {
            Self.raiseDefault(number)
        } else if let late = state.withLock({ state in
            state.deadline.map { $0 < .now } == true ? state.received : nil
        }) {
            abort(late)
        }
    }

    private func interrupt(_ status: ExitStatus) {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.stages.isEmpty else { return nil }
            if state.received == nil { state.received = status }
            if status != .interrupted, state.deadline == nil { state.deadline = .now + state.grace }
            state.interruptCount += 1
            let count = state.interruptCount
            return count <= state.stages.count ? state.stages[count - 1] : nil
        }
        guard let action else { return abort(received ?? status) }
        action()
    }

    private func abort(_ status: ExitStatus) {
        for cleanUp in state.withLock({ $0.cleanUps }) { cleanUp() }
        // Not `exit`: other threads are still running.
        _exit(status.rawValue)
    }

    private static var awaited: sigset_t {
        signalSet(([SIGINT, SIGTERM, SIGHUP] + ending + watchable).filter { !isIgnored($0) })
    }

    private static func signalSet(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
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

    private static func setDefault(_ number: Int32) {
        _ = signal(number, SIG_DFL)
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
