import Foundation
import Testing

@Suite("Files that are not ggml models")
struct ModelFileKindTests {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func safetensors(_ header: String) -> [UInt8] {
        GGMLContents.bytes(header.utf8.count) + [0, 0, 0, 0] + Array(header.utf8) + [0, 1, 2, 3]
    }

    /// First bytes, the kind of file, and part of the advice.
    static let files: [([UInt8], String, String)] = [
        (
            text("GGUF") + [3, 0, 0, 0], "a GGUF file",
            "GGUF is not a whisper.cpp model; use the same model as a ggml file"
        ),
        (text("fmgg") + [0, 0], "an old llama.cpp file", "use the same model as a ggml file"),
        (text("tjgg") + [0, 0], "an old llama.cpp file", "use the same model as a ggml file"),
        ([6, 0, 0, 0, 12, 0] + text("WhisperSpec") + [0], "a CTranslate2 model", "as a ggml file"),
        (safetensors(#"{"a":{}}"#), "a safetensors file", "as a ggml file"),
        (
            safetensors(#"{"base_model.model.encoder.layers.0.q_proj.lora_A.weight":{}}"#), "a LoRA adapter",
            "merge it into its base model first"
        ),
        (text("PK") + [3, 4, 20, 0], "a ZIP archive", "use the same model as a ggml file"),
        (
            [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e],
            "a file in an old PyTorch format", "save it with a current PyTorch"
        ),
        ([0x80, 5, 0x95, 0], "a file in an old PyTorch format", "save it with a current PyTorch"),
        ([8, 7, 0x12, 7] + text("pytorch"), "an ONNX model", "use the same model as a ggml file"),
        ([28, 0, 0, 0] + text("TFL3"), "a TensorFlow model", "use the same model as a ggml file"),
        ([0x89] + text("HDF\r\n"), "a TensorFlow model", "use the same model as a ggml file"),
        ([0x1f, 0x8b, 8, 0], "a compressed archive", "unpack it first"),
        ([0x28, 0xb5, 0x2f, 0xfd, 4], "a compressed archive", "unpack it first"),
        ([0x37, 0x7a, 0xbc, 0xaf, 0x27], "a compressed archive", "unpack it first"),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "a compressed archive", "unpack it first"),
        (text("RIFF") + [0, 0, 0, 0] + text("WAVEfmt "), "a recording", "are swapped"),
        (text("fLaC") + [0], "a recording", "are swapped"), (text("OggS") + [0], "a recording", "are swapped"),
        (text("ID3") + [4, 0], "a recording", "are swapped"),
        ([0, 0, 0, 32] + text("ftypM4A "), "a recording", "are swapped"),
        ([0x1a, 0x45, 0xdf, 0xa3], "a recording", "are swapped"),
        ([0xff, 0xfb, 0x90, 0x64], "a recording", "are swapped"),
        (
            text("lmgg") + [10, 0, 0, 0] + text("silero-16k") + [0, 0], "a voice activity model",
            "this one only detects speech"
        ),
        (
            text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 77704715\n"),
            "a git-lfs pointer; the real file (77704715 bytes) was not fetched", "git lfs pull"
        ),
        (
            text("version https://git-lfs.github.com/spec/v1\n"),
            "a git-lfs pointer; the real file was not fetched", "git lfs pull"
        ),
        (safetensors(#"{"lstm_cell.bias_hh":{}}"#), "a voice activity model", "this one only detects speech"),
        (safetensors(#"{"conv1.bias":{"dtype":"F32"}}"#), "a voice activity model", "this one only detects speech"),
        (
            text("<!DOCTYPE html><html>\n<head>"),
            "a web page or an error message (28 bytes, '<!DOCTYPE html><html> <head>')", "download the model again"
        ),
        (
            text(#"{"error":"Repository not found"}"#),
            #"a web page or an error message (32 bytes, '{"error":"Repository not found"}')"#,
            "download the model again"
        ),
        (
            text("Invalid username or password."),
            "a web page or an error message (29 bytes, 'Invalid username or password.')", "download the model again"
        ),
        (
            text("Accès refusé, la page n'existe pas ou plus du tout, désolé"),
            #"a web page or an error message (62 bytes, 'Accès refusé, la page n'\''existe pas ou ')"#,
            "download the model again"
        ),
    ]

    @Test("kinds of files are recognized by their first bytes", arguments: files)
    func recognized(bytes: [UInt8], looksLike: String, instead: String) throws {
        let (error, path) = try DamagedFileTests.error(bytes)
        guard case .anotherFormat(path, let found, let advice)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == looksLike)
        #expect(advice.contains(instead))
    }

    @Test("an unknown kind of file is reported with its first bytes")
    func unknown() throws {
        for bytes: [UInt8] in [
            [0, 1, 2, 3], [0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0, 9, 9], [0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0x7b],
        ] {
            let (error, path) = try DamagedFileTests.error(bytes)
            #expect(error == .unknownFormat(path: path, firstBytes: Array(bytes.prefix(8))))
        }
    }

    static let folders: [(String, [String], String?)] = [
        ("coreml", ["ggml-tiny-encoder.mlmodelc"], "a folder with a Core ML model"),
        ("ggml-tiny-encoder.mlmodelc", ["model.mil"], "a folder with a Core ML model"),
        ("adapter", ["adapter_config.json", "config.json"], "a LoRA adapter"),
        ("other", ["notes.txt"], nil), ("empty", [], nil),
    ]

    @Test("kinds of folders are recognized by the names in them", arguments: folders)
    func recognizedFolders(name: String, files: [String], looksLike: String?) throws {
        let folder = try TemporaryFolder()
        try folder.createFolder(name)
        for file in files { try folder.create("\(name)/\(file)") }
        let path = folder.path(name)
        do {
            _ = try WhisperFiles.open(path)
            Issue.record("loaded")
        } catch .anotherFormat(path, let found, _) {
            #expect(found == looksLike)
        } catch {
            #expect(error == .noModelInFolder(path: path, names: files.map { FilePath($0) }) && looksLike == nil)
        }
    }

    @Test("missing and special files are rejected without reading them")
    func special() throws {
        let folder = try TemporaryFolder()
        #expect(throws: ModelError.noFile(path: folder.path("none"))) { try GGMLFile(folder.path("none")) }
        try folder.create("plain")
        let below = folder.path("plain").appending("below")
        #expect(throws: ModelError.noFile(path: below)) { try GGMLFile(below) }
        try folder.link("loop", to: "loop")
        #expect(throws: ModelError.noFile(path: folder.path("loop"))) { try GGMLFile(folder.path("loop")) }
        let long = folder.path(String(repeating: "n", count: 300))
        #expect(throws: ModelError.noFile(path: long)) { try GGMLFile(long) }
        #expect(throws: ModelError.notRegularFile(path: FilePath("/dev/zero"))) { try GGMLFile(FilePath("/dev/zero")) }
        #expect(unsafe mkfifo(folder.path("pipe").description, 0o600) == 0)
        #expect(throws: ModelError.notRegularFile(path: folder.path("pipe"))) { try GGMLFile(folder.path("pipe")) }
    }

    @Test("a read-only file behind a symbolic link loads")
    func links() throws {
        let folder = try TemporaryFolder()
        try folder.write(GGMLContents(width: 2).bytes, to: "model.bin")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o444], ofItemAtPath: folder.url.appending(path: "model.bin").path)
        try folder.link("other name.txt", to: "model.bin")
        #expect(try GGMLFile(folder.path("other name.txt")).dimensions.nAudioState == 2)
    }
}
