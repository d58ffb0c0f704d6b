// Invariant: the message is made once, before any handler can run, and never freed. The handler calls nothing but what
// POSIX allows in one: it may have interrupted anything, the heap included.
import Glibc

/// The last words after a bug that Swift cannot catch (a failed check, a wild pointer): what happened and how to tell
/// us, with the status of an internal error instead of a signal's.
enum CrashReport {
    private nonisolated(unsafe) static var message: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var length = 0

    private static let fatalSignals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS]

    /// To be called before other threads start. Whoever wants Swift's own crash report sets `SWIFT_BACKTRACE`.
    static func install() {
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        let text = ErrorReport.internalError("a check failed").text
        unsafe message = strdup(text)
        unsafe length = text.utf8.count
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in CrashReport.tell() }
        // A second crash, in the handler or in another thread meanwhile, ends the program the hard way.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        for number in fatalSignals { unsafe sigaction(number, &action, nil) }
    }

    private static func tell() {
        KeyMode.restore()
        unsafe _ = write(2, message, length)
        // The main thread removes what must not stay, unless it is the one that crashed or waits for this thread.
        kill(getpid(), Signals.crashed)
        var second = timespec(tv_sec: 1, tv_nsec: 0)
        unsafe _ = nanosleep(&second, nil)
        _exit(ExitStatus.internalError.rawValue)
    }
}
