// Invariant: the arrays of C strings end with a null pointer and live until the child has started; both ends of the pipe
// are closed on every path out.
import Glibc
import WhisperEngine

/// Child processes: programs that receive text, and this program itself for settings that must be made before a process
/// starts.
package enum ChildProcess {
    package enum Outcome: Equatable, Sendable {
        case succeeded
        /// There is no such program.
        case notFound
        /// It was killed after the timeout.
        case timedOut
        /// It exited with this status, or 128 + N after signal N.
        case failed(Int32)
    }

    /// Runs a program, looked up on `PATH`, with `text` as its standard input; its output is discarded.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - timeout: after this the program is killed, with all processes that it started.
    ///   - stop: kills the program, too, when it is set.
    static func run(
        _ command: [String], input text: String, timeout: Duration, stop: CancellationFlag? = nil
    ) -> Outcome {
        // Those of earlier runs, such as the keeper of a clipboard.
        let others = ProcessTree.descendants()
        return ProcessTree.adoptingOrphans {
            let outcome = run(command, input: text, until: ContinuousClock.now + timeout, stop)
            if outcome == .timedOut { killDescendants(except: others) }
            return outcome
        }
    }

    /// Runs a program, looked up on `PATH`, without input, and returns what it prints as text.
    ///
    /// - Returns: `nil` if it fails, takes too long, or prints more than `limit` bytes or something other than UTF-8.
    static func text(of command: [String], atMost limit: Int, timeout: Duration) -> String? {
        let deadline = ContinuousClock.now + timeout
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let started = spawn(command, input: nil, output: ends[1])
        close(ends[1])
        guard let child = started else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit, ContinuousClock.now < deadline {
            var wanted = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 50) > 0 else { continue }
            let count = unsafe read(ends[0], &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        let isWhole = bytes.count <= limit
        guard outcome(of: child, until: isWhole ? deadline : .now, nil) == .succeeded, isWhole else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Kills what a program has started, which may go on starting processes meanwhile.
    private static func killDescendants(except others: Set<Int32>) {
        for _ in 0..<100 {
            let processes = ProcessTree.descendants(except: others)
            for process in processes { kill(process, SIGKILL) }
            reap()
            if processes.isEmpty { return }
            usleep(1_000)
        }
    }

    /// Forgets children that have ended.
    private static func reap() {
        var state: Int32 = 0
        while unsafe waitpid(-1, &state, WNOHANG) > 0 {}
    }

    private static func run(
        _ command: [String], input text: String, until deadline: ContinuousClock.Instant, _ stop: CancellationFlag?
    ) -> Outcome {
        reap()
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return .failed(EX_OSERR) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let started = spawn(command, input: ends[0])
        close(ends[0])
        guard let child = started else {
            close(ends[1])
            return .notFound
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, ContinuousClock.now < deadline {
            let count = unsafe rest.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: ends[1], events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, 50)
            } else if errno != EINTR {
                // The program does not read its input; its exit status says whether that is an error.
                break
            }
        }
        close(ends[1])
        return outcome(of: child, until: deadline, stop)
    }

    private static func outcome(
        of child: pid_t, until deadline: ContinuousClock.Instant, _ stop: CancellationFlag?
    ) -> Outcome {
        var state: Int32 = 0
        while true {
            let ended = unsafe waitpid(child, &state, WNOHANG)
            if ended == child { break }
            if ended == -1, errno != EINTR { return .failed(EX_OSERR) }
            guard ContinuousClock.now < deadline, stop?.isSet != true else {
                kill(-child, SIGKILL)
                while unsafe waitpid(child, &state, 0) == -1, errno == EINTR {}
                return .timedOut
            }
            usleep(5_000)
        }
        let signal = state & 0x7f
        let status = signal == 0 ? state >> 8 & 0xff : 128 + signal
        // A shell's status for a program that it does not find; `posix_spawn` may report it, too.
        return status == 0 ? .succeeded : status == 127 ? .notFound : .failed(status)
    }

    /// - Returns: `nil` if there is no such program.
    ///
    /// - Parameters:
    ///   - input: `nil` is an empty one.
    ///   - output: `nil` discards it.
    private static func spawn(_ command: [String], input: Int32?, output: Int32? = nil) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, source) in [(0, input), (1, output), (2, nil)] as [(Int32, Int32?)] {
            if let source {
                unsafe posix_spawn_file_actions_adddup2(&actions, source, descriptor)
            } else {
                let mode = descriptor == 0 ? O_RDONLY : O_WRONLY
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes, flags: POSIX_SPAWN_SETPGROUP)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var child = pid_t()
        let environment = unsafe dlsym(nil, "environ")?.load(
            as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
        let failed = unsafe withCStrings(command) { strings in
            unsafe posix_spawnp(&child, command[0], &actions, &attributes, strings, environment)
        }
        return failed == 0 ? child : nil
    }

    /// Lets a child start with no signal blocked or ignored, unlike this program.
    ///
    /// - Parameter flags: further flags of the attributes.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t, flags: Int32) {
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
    }

    /// Runs this program again and returns its standard output, or `nil` if it failed. Its errors are discarded.
    ///
    /// - Parameters:
    ///   - arguments: the arguments after the program's name.
    ///   - environment: all variables of the child as `NAME=value`.
    static func output(_ arguments: [String], environment: [String]) -> String? {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var child = pid_t()
        let status = unsafe withCStrings(["whisper-local"] + arguments) { arguments in
            unsafe withCStrings(environment) { environment in
                unsafe posix_spawn(&child, "/proc/self/exe", &actions, nil, arguments, environment)
            }
        }
        close(ends[1])
        guard status == 0 else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(ends[0], &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        var state: Int32 = 0
        while unsafe waitpid(child, &state, 0) == -1, errno == EINTR {}
        return state == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Starts this program in a session of its own, without input and output, so that it outlives this process.
    ///
    /// - Parameter errors: receives its standard error; only this user may read it.
    static func startInBackground(_ arguments: [[UInt8]], errors: FilePath) throws(ErrorReport) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors.cString, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes, flags: Self.ownSession)
        var child = pid_t()
        let environment = unsafe dlsym(nil, "environ")?.load(
            as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
        let words = [Array("whisper-local".utf8)] + arguments
        let failed = unsafe withCStrings(words) { arguments in
            unsafe posix_spawn(&child, "/proc/self/exe", &actions, &attributes, arguments, environment)
        }
        guard failed == 0 else {
            throw ErrorReport(
                .tryAgain, "nothing can be started in the background", advice: "close other programs, and try again")
        }
        return child
    }

    /// `POSIX_SPAWN_SETSID`, which is not a standard name.
    private static let ownSession: Int32 = 0x80

    /// Whether a child has ended; call it no more then.
    static func hasEnded(_ child: pid_t) -> Bool {
        var state: Int32 = 0
        return unsafe waitpid(child, &state, WNOHANG) == child
    }

    /// Replaces this process with another program, looked up on `PATH`. It starts with no signal blocked, and with none
    /// ignored that this program ignores for itself. Returns only on failure.
    static func replaceProcess(with command: [String]) {
        Signals.reset()
        unsafe withCStrings(command) { arguments in
            guard let name = unsafe arguments[0] else { return }
            unsafe execvp(name, arguments)
        }
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        unsafe withCStrings(strings.map { Array($0.utf8) }, body)
    }

    private static func withCStrings<R>(
        _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers =
            unsafe strings.map { bytes in
                unsafe (bytes + [0]).withUnsafeBytes {
                    unsafe strdup($0.assumingMemoryBound(to: CChar.self).baseAddress!)
                }
            } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // The buffer holds at least the terminating null pointer, so it has an address.
            guard let base = buffer.baseAddress else { preconditionFailure("an array without an address") }
            return unsafe body(base)
        }
    }
}
