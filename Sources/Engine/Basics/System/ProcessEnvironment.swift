// Invariant: the pointer from `getenv` is read before any other call could change the environment; this program never changes
// its environment.
import Glibc

/// The environment variables by name; an empty one counts as unset.
package struct ProcessEnvironment: Sendable {
    private let values: [String: [UInt8]]?

    /// The environment of this process.
    package static let process = ProcessEnvironment(values: nil)

    /// The path of this program's executable.
    package static var executable: FilePath? { DiskAccess.linkTarget(of: FilePath("/proc/self/exe")) }

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
    package func hasProgram(_ name: String) -> Bool {
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
    package var dataFolder: FilePath? {
        baseFolder("XDG_DATA_HOME", fallback: ".local/share")?.appending("whisper-local")
    }

    /// This program's folder in the user's configuration, `$XDG_CONFIG_HOME/whisper-local`; `nil` if neither
    /// `XDG_CONFIG_HOME` nor `HOME` is an absolute path.
    package var configFolder: FilePath? {
        baseFolder("XDG_CONFIG_HOME", fallback: ".config")?.appending("whisper-local")
    }

    /// The caches of all programs; `nil` if neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    package var cacheFolder: FilePath? { baseFolder("XDG_CACHE_HOME", fallback: ".cache") }

    /// `$variable`, or `$HOME/fallback`; `nil` if neither is an absolute path.
    package func baseFolder(_ variable: String, fallback: String) -> FilePath? {
        absolutePath(variable) ?? absolutePath("HOME")?.appending(fallback)
    }
}
