// Invariants: the C argument vector holds `argc` pointers to zero-terminated strings that live as long as the process;
// they are copied here once and never written. The kernel stores the arguments one after another, directly followed by
// the strings of the environment. The pointer from `getenv` is read before any other call could change the environment;
// this program never changes its environment.
import Glibc
package import WhisperEngine

/// The environment variables by name; an empty one counts as unset.
package struct ProcessEnvironment: Sendable {
    private let values: [String: [UInt8]]?

    /// The environment of this process.
    package static let process = ProcessEnvironment(values: nil)

    /// An environment with the given variables, for tests.
    package init(_ values: [String: String]) {
        self.values = values.mapValues { Array($0.utf8) }
    }

    private init(values: [String: [UInt8]]?) {
        self.values = values
    }

    package func bytes(_ name: String) -> [UInt8]? {
        if let values { return values[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let start = unsafe getenv(name) else { return nil }
        let bytes = unsafe (0..<strlen(start)).map { UInt8(bitPattern: unsafe start[$0]) }
        return bytes.isEmpty ? nil : bytes
    }

    package func text(_ name: String) -> String? {
        bytes(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a program exists: at this path, or if it is only a name, in a folder of `PATH`.
    func hasProgram(_ name: String) -> Bool {
        if name.contains("/") { return FileSystem.isExecutable(FilePath(name)) }
        let folders = (text("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(
            separator: ":", omittingEmptySubsequences: false)
        return folders.contains { FileSystem.isExecutable(FilePath($0.isEmpty ? "." : String($0)).appending(name)) }
    }

    /// An absolute path; a relative one is ignored, as the XDG base directory specification requires.
    package func absolutePath(_ name: String) -> FilePath? {
        guard let bytes = bytes(name), bytes.first == UInt8(ascii: "/") else { return nil }
        return FilePath(bytes: bytes)
    }

    /// This program's folder in the user's data, `$XDG_DATA_HOME/whisper-local`; `nil` if neither `XDG_DATA_HOME` nor
    /// `HOME` is an absolute path.
    var dataFolder: FilePath? {
        baseFolder("XDG_DATA_HOME", fallback: ".local/share")?.appending("whisper-local")
    }

    /// A file in `dataFolder`.
    ///
    /// - Parameter use: what it is needed for, such as `keep voices`.
    /// - Throws: a report if there is no such folder.
    func dataFile(_ name: String, to use: String) throws(ErrorReport) -> FilePath {
        guard let dataFolder else {
            throw ErrorReport(
                .cannotCreate, "nowhere to \(use): neither XDG_DATA_HOME nor HOME is an absolute path",
                advice: "set XDG_DATA_HOME to a folder of your own")
        }
        return dataFolder.appending(name)
    }

    /// The caches of all programs; `nil` if neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    var cacheFolder: FilePath? { baseFolder("XDG_CACHE_HOME", fallback: ".cache") }

    /// `$variable`, or `$HOME/fallback`; `nil` if neither is an absolute path.
    func baseFolder(_ variable: String, fallback: String) -> FilePath? {
        absolutePath(variable) ?? absolutePath("HOME")?.appending(fallback)
    }
}

/// The command-line arguments as bytes: file names need not be UTF-8, and `CommandLine.arguments` replaces what is not.
enum ProcessArguments {
    /// Without the program's name.
    static var all: [[UInt8]] {
        let count = Int(CommandLine.argc)
        // Swift reads them from /proc, which may not be mounted.
        guard count > 0 else { return Array(inMemory.dropFirst()) }
        return (1..<count).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(of: argument)
        }
    }

    /// All arguments including the program's name, read from its address up to the environment.
    private static var inMemory: [[UInt8]] {
        guard let name = unsafe dlsym(nil, "program_invocation_name"), let environment = unsafe dlsym(nil, "environ"),
            var argument = unsafe name.load(as: UnsafePointer<CChar>?.self),
            let variables = unsafe environment.load(as: UnsafePointer<UnsafePointer<CChar>?>?.self),
            let end = unsafe variables.pointee
        else { return [] }
        var arguments: [[UInt8]] = []
        while unsafe argument < end {
            let bytes = unsafe bytes(of: argument)
            arguments.append(bytes)
            unsafe argument += bytes.count + 1
        }
        return arguments
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while unsafe text[index] != 0 {
            bytes.append(UInt8(bitPattern: unsafe text[index]))
            index += 1
        }
        return bytes
    }
}
