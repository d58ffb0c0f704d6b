package import EngineBasics
package import Foundation

/// A temporary folder for one test, removed with its contents when the test ends.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "whisper-local-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: FilePath { FilePath(url.path) }

    package func path(_ name: String) -> FilePath { path.appending(name) }

    package func create(_ name: String, _ text: String = "old", permissions: Int = 0o644) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
        try FileManager.default.setAttributes(
            [.posixPermissions: permissions], ofItemAtPath: url.appending(path: name).path)
    }

    package func createFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: url.appending(path: name), withIntermediateDirectories: true)
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: name).path, withDestinationPath: target)
    }

    package func text(_ name: String) -> String? {
        (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) }
    }

    package func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)[.posixPermissions] as? Int
    }

    /// The names of its entries, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
