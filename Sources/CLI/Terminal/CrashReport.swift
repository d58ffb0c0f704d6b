// Invariant: the messages are made once, before any handler can run, and never freed. The handler calls nothing but
// what may be called in one (POSIX's list, and `mmap`, a plain system call): it may have interrupted anything, the heap
// included.
import Glibc
import Synchronization

/// The last words after what Swift cannot catch (a failed check, a wild pointer, memory refused to a library): what
/// happened and what to do, with the status of an internal error, or of lacking memory, instead of a signal's.
enum CrashReport {
    private nonisolated(unsafe) static var messages: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var mainThread = pthread_self()
    private static let bugLength = Atomic<Int>(0)
    private static let memoryLength = Atomic<Int>(0)
    private static let hasCrashed = Atomic<Bool>(false)
    private static let lacksMemory = Atomic<Bool>(false)

    private static let fatalSignals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS]
    /// Where the system refuses so much at the moment of a crash, that is what the crash comes from.
    private static let probeBytes = 8 << 20
    /// Seconds that the main thread has to keep what is final.
    private static let grace = 5

    /// To be called before other threads start. Whoever wants Swift's own crash report sets `SWIFT_BACKTRACE`.
    static func install() {
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        let bug = ErrorReport.internalError("a check failed").text
        let memory = ErrorReport(
            .tryAgain, "not enough memory: less than \(probeBytes >> 20) MiB are left",
            cure: "close other programs, raise the limit (ulimit -v), or choose a smaller model"
        ).text
        unsafe messages = strdup(bug + memory)
        bugLength.store(bug.utf8.count, ordering: .sequentiallyConsistent)
        memoryLength.store(memory.utf8.count, ordering: .sequentiallyConsistent)
        unsafe mainThread = pthread_self()
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in CrashReport.tell() }
        for number in fatalSignals { unsafe sigaction(number, &action, nil) }
    }

    /// How the program ends after a crash.
    static var status: ExitStatus {
        lacksMemory.load(ordering: .sequentiallyConsistent) ? .tryAgain : .internalError
    }

    private static func tell() {
        KeyMode.restore()
        let isMain = unsafe pthread_equal(pthread_self(), mainThread) != 0
        let isFirst = !hasCrashed.exchange(true, ordering: .sequentiallyConsistent)
        if isFirst {
            let block = unsafe mmap(nil, probeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            let isRefused = unsafe block == MAP_FAILED
            lacksMemory.store(isRefused, ordering: .sequentiallyConsistent)
            let bug = bugLength.load(ordering: .sequentiallyConsistent)
            let memory = memoryLength.load(ordering: .sequentiallyConsistent)
            if let messages = unsafe messages {
                unsafe _ = write(2, isRefused ? messages + bug : messages, isRefused ? memory : bug)
            }
        }
        // Without the main thread there is nobody to keep anything. Of several other threads the first one ends the
        // program; the main thread may do so before.
        if !isMain {
            if isFirst { kill(getpid(), Signals.crashed) }
            for _ in 0..<grace {
                var second = timespec(tv_sec: 1, tv_nsec: 0)
                unsafe _ = nanosleep(&second, nil)
            }
        }
        _exit(status.rawValue)
    }
}
