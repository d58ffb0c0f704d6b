import Foundation
import TestModels
import Testing
import WhisperEngine

@Suite("Model files that change while they are loaded")
struct ChangedFileTests {
    private static func load(_ change: (URL) throws -> Void) throws -> (ModelError?, FilePath) {
        let folder = try TemporaryFolder()
        let path = try folder.write(GGMLContents(width: 2).bytes)
        let file = try GGMLFile(path)
        try change(folder.url.appending(path: "model.bin"))
        do {
            _ = try WhisperModel(file, backend: try ComputeOptions(backend: .reference).makeBackend())
            return (nil, path)
        } catch let error as ModelError { return (error, path) }
    }

    @Test("truncating the file while loading is an error", arguments: [0, 1, 100_000])
    func cut(size: UInt64) throws {
        let (error, path) = try Self.load {
            let handle = try FileHandle(forWritingTo: $0)
            try handle.truncate(atOffset: size)
            try handle.close()
        }
        #expect(error == .changedWhileRead(path: path))
    }

    @Test("overwriting the file while loading is an error, even with the same size")
    func written() throws {
        let (error, path) = try Self.load {
            let handle = try FileHandle(forWritingTo: $0)
            try handle.seek(toOffset: 300_000)
            try handle.write(contentsOf: Data([0]))
            try handle.close()
            // File system timestamps are coarse, so set one explicitly.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: $0.path)
        }
        #expect(error == .changedWhileRead(path: path))
    }

    @Test("replacing or removing the file does not affect the opened one")
    func replaced() throws {
        let (error, _) = try Self.load { url in
            try FileManager.default.removeItem(at: url)
            try Data([1, 2, 3]).write(to: url)
        }
        #expect(error == nil)
    }
}
