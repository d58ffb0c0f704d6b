import Foundation
import Testing

@Suite("Model files that change while they are loaded")
struct ChangedFileTests {
    /// A model, and the name of the file in it that changes.
    enum Kind: String, CaseIterable, Sendable {
        case ggml = "model.bin"
        case pyTorch = "tiny.pt"
        case cTranslate2 = "weights"
        case shard = "b.safetensors"

        /// Writes the model.
        ///
        /// - Returns: what to open.
        fileprivate func write(to folder: TemporaryFolder) throws -> FilePath {
            switch self {
            case .ggml: return try folder.write(GGMLContents(width: 2).bytes, to: rawValue)
            case .pyTorch: return try folder.write(PyTorchContents(GGMLContents(width: 2)).bytes, to: rawValue)
            case .cTranslate2:
                try FileManager.default.moveItem(
                    atPath: folder.write(CTranslate2Contents(.tiny()), settings: "{}").description,
                    toPath: folder.path(rawValue).description)
                return folder.path(rawValue)
            case .shard:
                try HuggingFaceContents(.tiny()).write(to: folder, shards: ["a.safetensors", rawValue])
                return folder.path
            }
        }
    }

    private static func load(_ kind: Kind, _ change: (URL) throws -> Void) throws -> (ModelError?, FilePath) {
        let folder = try TemporaryFolder()
        let file = try WhisperFiles.open(kind.write(to: folder)), path = folder.path(kind.rawValue)
        try change(folder.url.appending(path: kind.rawValue))
        do {
            _ = try WhisperModel(file, backend: try ComputeOptions(backend: .reference).makeBackend())
            return (nil, path)
        } catch let error as ModelError { return (error, path) }
    }

    @Test("truncating the file while loading is an error", arguments: Kind.allCases, [0, 1, 20_000])
    func cut(kind: Kind, size: UInt64) throws {
        let (error, path) = try Self.load(kind) {
            let handle = try FileHandle(forWritingTo: $0)
            try handle.truncate(atOffset: size)
            try handle.close()
        }
        #expect(error == .changedWhileRead(path: path))
    }

    @Test("overwriting the file while loading is an error, even with the same size", arguments: Kind.allCases)
    func written(kind: Kind) throws {
        let (error, path) = try Self.load(kind) {
            let handle = try FileHandle(forWritingTo: $0)
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size - 1)
            try handle.write(contentsOf: Data([0]))
            #expect(try handle.seekToEnd() == size)
            try handle.close()
            // File system timestamps are coarse, so set one explicitly.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: $0.path)
        }
        #expect(error == .changedWhileRead(path: path))
    }

    @Test("replacing or removing the file does not affect the opened one", arguments: Kind.allCases)
    func replaced(kind: Kind) throws {
        let (error, _) = try Self.load(kind) { url in
            try FileManager.default.removeItem(at: url)
            try Data([1, 2, 3]).write(to: url)
        }
        #expect(error == nil)
    }
}
