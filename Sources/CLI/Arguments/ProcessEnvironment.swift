// Invariant: `getenv`'s pointer is read before any other call could change the environment; this program never
// changes its environment after start.
import Glibc
package import WhisperEngine

/// The environment variables, by name; an empty one counts as unset.
package struct ProcessEnvironment: Sendable {
    private let values: [String: [UInt8]]?

    /// The process's own.
    package static let process = ProcessEnvironment(values: nil)

    /// Given values, for tests.
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

    /// An absolute path; a relative one is ignored, as the XDG base directory specification asks.
    package func absolutePath(_ name: String) -> FilePath? {
        guard let bytes = bytes(name), bytes.first == UInt8(ascii: "/") else { return nil }
        return FilePath(bytes: bytes)
    }

    /// `$variable`, else `$HOME/fallback`; `nil` where neither is an absolute path.
    package func baseFolder(_ variable: String, fallback: String) -> FilePath? {
        absolutePath(variable) ?? absolutePath("HOME")?.appending(fallback)
    }
}
