import Foundation
import Testing

/// Folders of the engine know the tools and the stages before them, never a later stage.
@Suite("Layering")
struct LayeringTests {
    static let tools = ["Files", "Tokenizer", "Weights", "Compute"]
    /// In the order that sound takes.
    static let stages = [
        "Audio", "Features", "VoiceActivity", "Network", "Decoding", "Timing", "Transcription", "Streaming", "Output",
    ]
    static let engine = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Engine")

    private static func files(_ folder: String) -> [URL] {
        let url = engine.appending(path: folder)
        return (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil))?
            .filter { $0.pathExtension == "swift" } ?? []
    }

    /// Types named after their file.
    private static func types(_ folder: String) -> [String] {
        files(folder).map { $0.deletingPathExtension().lastPathComponent }.filter { !$0.contains("+") }
    }

    private static func words(_ file: URL) throws -> Set<String> {
        let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }.joined(separator: "\n")
        return Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    @Test("every folder has its place")
    func folders() throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: Self.engine.path)
        #expect(Set(found).subtracting(Self.tools + Self.stages).isEmpty)
    }

    @Test("no folder names a type of a later one", arguments: tools + stages)
    func order(folder: String) throws {
        let later =
            Self.tools.contains(folder)
            ? Self.stages : Array(Self.stages.drop { $0 != folder }.dropFirst())
        let forbidden = Set(later.flatMap(Self.types))
        for file in Self.files(folder) {
            let named = try Self.words(file).intersection(forbidden)
            #expect(named.isEmpty, "\(folder)/\(file.lastPathComponent) names \(named.sorted())")
        }
    }
}
