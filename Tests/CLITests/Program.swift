// Invariant: the arrays of C texts end with a null pointer, live for the one call, and are freed after it.
import Foundation

/// The built executable, run as a user runs it.
enum Program {
    struct Outcome: Equatable {
        /// Exit status, or 128 + N after signal N.
        var status: Int32
        var output: String
        var error: String
    }

    /// The folder of the test bundle, where the executable lies too.
    static let folder: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let nearby = URL(filePath: bundle).deletingLastPathComponent()
        let places =
            [nearby]
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
        let found = places.first {
            FileManager.default.isExecutableFile(atPath: $0.appending(path: "whisper-local").path)
        }
        return (found ?? nearby).path
    }()

    static var path: String { folder + "/whisper-local" }

    /// An empty folder that goes away with the value.
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

    /// A shell's command line in `folder`, with `whisper-local` on the path, an empty home and no terminal.
    static func shell(_ script: String, in folder: URL, environment: [String: String] = [:]) throws -> Outcome {
        let (output, error) = (folder.appending(path: ".out"), folder.appending(path: ".err"))
        defer { for file in [output, error] { try? FileManager.default.removeItem(at: file) } }
        var variables = [
            "PATH": "\(Program.folder):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path + "/.home",
            "LC_ALL": "C.UTF-8", "CLIPS": Fixtures.folder.path + "/../clips",
        ]
        variables.merge(environment) { $1 }
        let wrapped = "cd '\(folder.path)' && { \(script)\n} >'\(output.path)' 2>'\(error.path)' </dev/null"
        let status = try spawn(["/bin/sh", "-c", wrapped], environment: variables)
        return Outcome(
            status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            error: String(decoding: try Data(contentsOf: error), as: UTF8.self))
    }

    private static func spawn(_ words: [String], environment: [String: String]) throws -> Int32 {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var process = pid_t()
        let failed = unsafe posix_spawn(&process, words[0], nil, nil, &arguments, &variables)
        guard failed == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failed) ?? .EIO) }
        var state: Int32 = 0
        while unsafe waitpid(process, &state, 0) == -1, errno == EINTR {}
        return state & 0x7f == 0 ? state >> 8 & 0xff : 128 + state & 0x7f
    }
}
