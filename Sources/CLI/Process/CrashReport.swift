// Invariant: the messages are created once, before any handler can run, and never freed. The handler only makes calls
// that are safe in a signal handler (POSIX's list, and `mmap`, a plain system call): it may have interrupted anything,
// including the heap.
import Glibc
import Synchronization

/// Reports crashes that Swift cannot catch (a failed check, an invalid pointer, a library out of memory): what happened
/// and what to do, with the exit status of an internal error or of missing memory instead of a signal's.
enum CrashReport {
    private nonisolated(unsafe) static var messages: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var mainThread = pthread_self()
    private static let bugLength = Atomic<Int>(0)
    private static let memoryLength = Atomic<Int>(0)
    private static let hasCrashed = Atomic<Bool>(false)
    private static let isOutOfMemory = Atomic<Bool>(false)

    private static let fatalSignals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS]
    /// If the system refuses this much memory at the moment of a crash, lack of memory is taken to be its cause.
    private static let probeBytes = 8 << 20
    /// Seconds that the main thread has to save final segments.
    private static let grace = 5

    /// Must be called before other threads start. Setting `SWIFT_BACKTRACE` brings Swift's own crash report back.
    static func install() {
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        let bug = ErrorReport.internalError("a check failed").text
        let memory = ErrorReport(
            .tryAgain, "not enough memory: less than \(probeBytes >> 20) MiB left",
            advice: "close other programs, raise the limit (ulimit -v), or choose a smaller model"
        ).text
        unsafe messages = strdup(bug + memory)
        bugLength.store(bug.utf8.count, ordering: .sequentiallyConsistent)
        memoryLength.store(memory.utf8.count, ordering: .sequentiallyConsistent)
        unsafe mainThread = pthread_self()
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in CrashReport.report() }
        for number in fatalSignals { unsafe sigaction(number, &action, nil) }
    }

    /// Disables core dumps, which would contain what was said.
    static func disableCoreFiles() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// The exit status after a crash.
    static var status: ExitStatus {
        isOutOfMemory.load(ordering: .sequentiallyConsistent) ? .tryAgain : .internalError
    }

    /// Whether a thread has crashed.
    static var hasReported: Bool { hasCrashed.load(ordering: .sequentiallyConsistent) }

    private static func report() {
        KeyMode.restore()
        let isMain = unsafe pthread_equal(pthread_self(), mainThread) != 0
        let isFirst = !hasCrashed.exchange(true, ordering: .sequentiallyConsistent)
        if isFirst {
            let block = unsafe mmap(nil, probeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            let isRefused = unsafe block == MAP_FAILED
            isOutOfMemory.store(isRefused, ordering: .sequentiallyConsistent)
            let bug = bugLength.load(ordering: .sequentiallyConsistent)
            let memory = memoryLength.load(ordering: .sequentiallyConsistent)
            if let messages = unsafe messages {
                unsafe _ = write(2, isRefused ? messages + bug : messages, isRefused ? memory : bug)
            }
        }
        // If the main thread crashed, nothing can be saved. If several other threads crash, the first one ends the
        // program, unless the main thread does so before.
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
