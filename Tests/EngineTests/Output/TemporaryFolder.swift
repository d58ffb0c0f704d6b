import Foundation
import WhisperEngine

/// A temporary folder for one test, removed with its contents when the test ends.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "whisper-local-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: FilePath { FilePath(url.path) }

    func path(_ name: String) -> FilePath { path.appending(name) }

    func create(_ name: String, _ text: String = "old", permissions: Int = 0o644) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
        try FileManager.default.setAttributes(
            [.posixPermissions: permissions], ofItemAtPath: url.appending(path: name).path)
    }

    func createFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: url.appending(path: name), withIntermediateDirectories: true)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: name).path, withDestinationPath: target)
    }

    func text(_ name: String) -> String? {
        (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) }
    }

    func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)[.posixPermissions] as? Int
    }

    /// The names of its entries, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
