// Invariant: the arrays of C texts end with a null pointer and live until the child has been started; the pipe's ends
// are closed on every way out.
import Glibc

/// Another run of this program, for what can be set only before a process starts.
enum ChildProcess {
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
