import Foundation
import Testing

/// What the compiler cannot check, as it does not know folders: each folder of a module may use those before it.
@Suite("Layering")
struct LayeringTests {
    /// The modules with more than one subject, and their folders in the order of use.
    static let modules = [
        "Basics": ["Text", "System"],
        "Voices": ["VoiceActivity", "Speakers"],
        "Transcripts": ["Transcript", "Subtitles", "Output"],
        "Whisper": [
            "Tokenizer", "Files", "Features", "Network", "Decoding", "Timing", "Windows", "Recordings", "Live",
            "Family",
        ],
        "Parakeet": ["Features", "Files", "Network", "Decoding", "Recordings", "Live", "Family"],
        "Tools": ["Conversion", "Measuring"],
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

    @Test("all folders of these modules are listed", arguments: modules)
    func folders(module: String, folders: [String]) throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: Self.engine.appending(path: module).path)
        #expect(Set(found) == Set(folders))
    }

    @Test("no folder uses a type from a later folder of its module", arguments: modules)
    func order(module: String, folders: [String]) throws {
        for (index, folder) in folders.enumerated() {
            let forbidden = try Set(folders[(index + 1)...].flatMap { try Self.types("\(module)/\($0)") })
            let files = Self.files("\(module)/\(folder)")
            #expect(!files.isEmpty)
            for file in files {
                let used = try Self.words(file).intersection(forbidden)
                #expect(used.isEmpty, "\(module)/\(folder)/\(file.lastPathComponent) uses \(used.sorted())")
            }
        }
    }
}
