// Invariant: the arrays of C texts end with a null pointer and live until the child has been started; the pipe's ends
// are closed on every way out.
import Glibc

/// Other processes: another run of this program, for what can be set only before a process starts, and programs that
/// are given text.
enum ChildProcess {
    enum Outcome: Equatable, Sendable {
        case done
        /// There is no such program.
        case missing
        /// It was ended.
        case late
        /// It ended with this status, 128 + N after signal N.
        case failed(Int32)
    }

    /// Runs a program, found as a shell finds it, with `text` as its standard input and all its output thrown away.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - limit: after this it is killed, with all that it has started.
    static func feed(_ words: [String], _ text: String, limit: Duration) -> Outcome {
        let end = ContinuousClock.now + limit
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return .failed(EX_OSERR) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let started = spawn(words, input: ends[0])
        close(ends[0])
        guard let child = started else {
            close(ends[1])
            return .missing
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, ContinuousClock.now < end {
            let count = unsafe rest.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: ends[1], events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, 50)
            } else if errno != EINTR {
                // It does not read; how it ended tells whether that is right.
                break
            }
        }
        close(ends[1])
        return outcome(of: child, until: end)
    }

    private static func outcome(of child: pid_t, until end: ContinuousClock.Instant) -> Outcome {
        var state: Int32 = 0
        while true {
            let ended = unsafe waitpid(child, &state, WNOHANG)
            if ended == child { break }
            if ended == -1, errno != EINTR { return .failed(EX_OSERR) }
            guard ContinuousClock.now < end else {
                kill(-child, SIGKILL)
                while unsafe waitpid(child, &state, 0) == -1, errno == EINTR {}
                return .late
            }
            usleep(5_000)
        }
        let signal = state & 0x7f
        let status = signal == 0 ? state >> 8 & 0xff : 128 + signal
        // What a shell says of programs that it does not find; `posix_spawn` may say it, too.
        return status == 0 ? .done : status == 127 ? .missing : .failed(status)
    }

    /// - Returns: `nil` where there is no such program.
    private static func spawn(_ words: [String], input: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        for descriptor in 1...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // What this program holds back or ignores, others do not.
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var child = pid_t()
        let environment = unsafe dlsym(nil, "environ")?.load(
            as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
        let failed = unsafe withCTexts(words) { texts in
            unsafe posix_spawnp(&child, words[0], &actions, &attributes, texts, environment)
        }
        return failed == 0 ? child : nil
    }

    /// Runs this program and returns what it wrote to standard output, or `nil` if it failed.
    ///
    /// - Parameters:
    ///   - words: behind the program's name.
    ///   - environment: variables of the child as `NAME=value`, and no others.
    static func output(_ words: [String], environment: [String]) -> String? {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var child = pid_t()
        let status = unsafe withCTexts(["whisper-local"] + words) { words in
            unsafe withCTexts(environment) { environment in
                unsafe posix_spawn(&child, "/proc/self/exe", &actions, nil, words, environment)
            }
        }
        close(ends[1])
        guard status == 0 else { return nil }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(ends[0], &part, part.count)
            if count > 0 { bytes += part[..<count] } else if count == 0 || errno != EINTR { break }
        }
        var state: Int32 = 0
        while unsafe waitpid(child, &state, 0) == -1, errno == EINTR {}
        return state == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Puts another program, looked up on PATH, in the place of this one. It returns only where that fails.
    static func become(_ words: [String]) {
        unsafe withCTexts(words) { words in
            guard let name = unsafe words[0] else { return }
            unsafe execvp(name, words)
        }
    }

    private static func withCTexts<R>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // The buffer holds at least the closing null pointer, so it has an address.
            guard let base = buffer.baseAddress else { preconditionFailure("an array without an address") }
            return unsafe body(base)
        }
    }
}
