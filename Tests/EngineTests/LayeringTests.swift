import Foundation
import Testing

/// Each folder of the engine may use the tools and earlier stages, never later ones.
@Suite("Layering")
struct LayeringTests {
    /// Tools do not use stages; a tool may use the tools listed before it.
    static let tools = ["Text", "System", "Tokenizer", "Weights", "Compute"]
    /// The stages in processing order.
    static let stages = [
        "Audio", "Features", "VoiceActivity", "Network", "Decoding", "Timing", "Transcript", "Speakers",
        "Transcription",
        "Streaming", "Output", "Conversion", "Measuring",
    ]
    static let engine = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Engine")

    /// All Swift files in a folder and its subfolders.
    private static func files(_ folder: String) -> [URL] {
        let files = FileManager.default.enumerator(
            at: engine.appending(path: folder), includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The code of a file without its line comments.
    private static func code(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }.joined(separator: "\n")
    }

    /// The types that a folder declares at the top level of its files.
    private static func types(_ folder: String) throws -> Set<String> {
        let declaration = /^(?:(?:public|package|final|indirect) )*(?:class|struct|enum|actor|protocol|typealias) (\w+)/
            .anchorsMatchLineEndings()
        return try Set(files(folder).flatMap { try code($0).matches(of: declaration).map { String($0.1) } })
    }

    private static func words(_ file: URL) throws -> Set<String> {
        Set(try code(file).split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    @Test("every folder of the engine is a listed tool or stage")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.engine.path)
        #expect(Set(folders) == Set(Self.tools + Self.stages))
    }

    @Test("no folder uses a type from a later folder", arguments: tools + stages)
    func order(folder: String) throws {
        let forbidden = try Set((Self.tools + Self.stages).drop { $0 != folder }.dropFirst().flatMap(Self.types))
        let files = Self.files(folder)
        #expect(!files.isEmpty)
        for file in files {
            let used = try Self.words(file).intersection(forbidden)
            #expect(used.isEmpty, "\(folder)/\(file.lastPathComponent) uses \(used.sorted())")
        }
    }
}
