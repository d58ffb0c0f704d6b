// Invariant: the arrays of C strings end with a null pointer, live for one call, and are freed after it.
import Foundation

/// The built executable, run as a user runs it.
enum Program {
    struct Outcome: Equatable {
        /// Exit status, or 128 + N after signal N.
        var status: Int32
        var output: String
        var error: String
    }

    /// The folder of the test bundle, which also contains the executable.
    static let folder: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let nearby = URL(filePath: bundle).deletingLastPathComponent()
        let candidates =
            [nearby]
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
        let folder = candidates.first {
            FileManager.default.isExecutableFile(atPath: $0.appending(path: "whisper-local").path)
        }
        return (folder ?? nearby).path
    }()

    static var path: String { folder + "/whisper-local" }

    /// What `live` and `dictate` print on standard error when they listen with the model of the tests.
    static let greeting = """
        warning: model nano.en is only a demonstration: it knows a few hundred words and invents text when it hears \
        others; for real speech: whisper-local models pull tiny.en

        """

    /// What `dictate` prints before that, if it is not started in a terminal and has a runtime folder.
    static let keysMissing = "no keys can be read here; to record: whisper-local dictate start\n"

    /// An empty folder that is deleted with the object.
    final class Scratch {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appending(path: "whisper-local-tests-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ name: String, _ text: String = "") throws {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    /// `faults.c` compiled, for LD_PRELOAD.
    static let faults: String = {
        let library = FileManager.default.temporaryDirectory.appending(path: "whisper-local-faults-\(getpid()).so")
        let words = [
            "cc", "-shared", "-fPIC", "-O1", "-o", library.path, Fixtures.folder.path + "/faults.c", "-ldl",
        ]
        var state: Int32 = 0
        if let compiler = try? spawn(["/usr/bin/env"] + words, environment: ProcessInfo.processInfo.environment) {
            while unsafe waitpid(compiler, &state, 0) == -1, errno == EINTR {}
        }
        atexit { unsafe unlink(Program.faults) }
        return library.path
    }()

    /// The prefix that makes a command respect permissions: drops the capabilities of root, empty for other users.
    static let unprivileged =
        geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search,-chown,-fowner" : ""

    /// Runs a shell script in a folder, with `whisper-local` and `Fixtures/cli/tools` on the path, an empty home folder and
    /// no terminal.
    ///
    /// - Parameter names: base name of the output files `.out` and `.err`.
    static func shell(
        _ script: String, in scratch: Scratch, environment: [String: String] = [:], names: String = ""
    ) throws -> Outcome {
        try start(script, in: scratch, environment: environment, names: names).outcome()
    }

    /// A running shell, or the program that has replaced it (`exec`).
    final class Running {
        let process: pid_t
        private let scratch: Scratch
        private let output: URL
        private let error: URL

        fileprivate init(process: pid_t, scratch: Scratch, output: URL, error: URL) {
            (self.process, self.scratch, self.output, self.error) = (process, scratch, output, error)
        }

        /// The standard output so far.
        var outputSoFar: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

        /// Waits for a line on standard output, for at most two minutes, because other tests use the cores too.
        func waitForLine() -> Bool { wait { $0.contains("\n") } }

        /// Waits until the standard output satisfies a condition, for at most two minutes.
        func wait(for condition: (String) -> Bool) -> Bool { Self.wait(on: output, condition) }

        /// Waits until the standard error satisfies a condition, for at most two minutes.
        func waitForError(_ condition: (String) -> Bool) -> Bool { Self.wait(on: error, condition) }

        private static func wait(on file: URL, _ condition: (String) -> Bool) -> Bool {
            for _ in 0..<12_000 {
                if condition((try? String(contentsOf: file, encoding: .utf8)) ?? "") { return true }
                usleep(10_000)
            }
            return false
        }

        /// Waits until the program has set up its signals, for at most two minutes: it then ignores SIGXFSZ, which neither
        /// the shell nor Swift's runtime does.
        func waitForHandlers() -> Bool {
            for _ in 0..<24_000 {
                let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:\t") }
                let ignored = line.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
                if ignored >> UInt64(SIGXFSZ - 1) & 1 == 1 { return true }
                usleep(5_000)
            }
            return false
        }

        func signal(_ number: Int32) { kill(process, number) }

        /// Whether the process has ended.
        var isOver: Bool {
            var facts = unsafe siginfo_t()
            // The call leaves the zeros if no process has ended.
            let isGone = unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) != 0
            let signal = unsafe facts.si_signo
            return isGone || signal != 0
        }

        /// Kills the process and everything that it started.
        func killGroup() { kill(-process, SIGKILL) }

        /// Waits for the end; must be called only once. Kills the process after ten minutes, so that a test fails instead
        /// of hanging.
        ///
        /// - Parameter resending: a signal to send repeatedly until the end.
        func outcome(resending number: Int32? = nil) throws -> Outcome {
            var state: Int32 = 0
            for turn in 1... {
                let ended = unsafe waitpid(process, &state, WNOHANG)
                if ended == process || (ended == -1 && errno != EINTR) { break }
                if turn == 120_000 { kill(process, SIGKILL) }
                if turn % 400 == 0, let number { kill(process, number) }
                usleep(5_000)
            }
            // Background processes left by the script would keep the output of the test run open.
            kill(-process, SIGKILL)
            defer { for file in [output, error] { try? FileManager.default.removeItem(at: file) } }
            return Outcome(
                status: state & 0x7f == 0 ? state >> 8 & 0xff : 128 + state & 0x7f,
                output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
                error: String(decoding: try Data(contentsOf: error), as: UTF8.self))
        }
    }

    /// Starts a script like `shell`, without waiting for its end.
    static func start(
        _ script: String, in scratch: Scratch, environment: [String: String] = [:], names: String = ""
    ) throws -> Running {
        let folder = scratch.url
        let (output, error) = (folder.appending(path: names + ".out"), folder.appending(path: names + ".err"))
        var variables = [
            "PATH": "\(Program.folder):\(Fixtures.folder.path)/tools:/usr/local/bin:/usr/bin:/bin",
            "HOME": folder.path + "/.home",
            "LC_ALL": "C.UTF-8", "CLIPS": Fixtures.folder.path + "/../clips",
            "MODEL": Fixtures.folder.path + "/../../../Models/nano.en.ggml.bin",
            "MODELS": Fixtures.folder.path + "/../models", "FIXTURES": Fixtures.folder.path,
            // Whatever is installed, tests use the model of the repository.
            "WHISPER_LOCAL_MODEL": "nano.en", "FAULTS": faults, "UNPRIVILEGED": unprivileged,
        ]
        variables.merge(environment) { $1 }
        let wrapped = "cd '\(folder.path)' && { \(script)\n} >'\(output.path)' 2>'\(error.path)' </dev/null"
        let process = try spawn(["/bin/sh", "-c", wrapped], environment: variables)
        return Running(process: process, scratch: scratch, output: output, error: error)
    }

    /// Starts a process in its own group with no signal blocked or ignored, whatever the state of the calling thread.
    private static func spawn(_ words: [String], environment: [String: String]) throws -> pid_t {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        // Inherited pipes of other tests would stay open as long as this process lives, and block their readers.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 3..<256 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
        var process = pid_t()
        let failed = unsafe posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
        guard failed == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failed) ?? .EIO) }
        return process
    }
}
