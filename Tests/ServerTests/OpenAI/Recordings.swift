import Foundation

/// Files of the repository, located relative to this file so that tests run from any folder.
enum Recordings {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func path(_ path: String) -> String { root.appending(path: "Tests/Fixtures/\(path)").path }

    /// The bytes of a fixture; empty if there is none, which no test accepts.
    static func bytes(_ path: String) -> [UInt8] {
        FileManager.default.contents(atPath: self.path(path)).map(Array.init) ?? []
    }
}
