// Invariant: the pointer from `getenv` is read before any other call could change the environment; this program never
// changes its environment.
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

    /// An absolute path; a relative one is ignored, as the XDG base directory specification requires.
    package func absolutePath(_ name: String) -> FilePath? {
        guard let bytes = bytes(name), bytes.first == UInt8(ascii: "/") else { return nil }
        return FilePath(bytes: bytes)
    }

    /// `$variable`, or `$HOME/fallback`; `nil` if neither is an absolute path.
    package func baseFolder(_ variable: String, fallback: String) -> FilePath? {
        absolutePath(variable) ?? absolutePath("HOME")?.appending(fallback)
    }
}
