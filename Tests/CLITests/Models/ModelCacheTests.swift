import Foundation
import Testing
import WhisperEngine
import WhisperCommands

/// Models where other programs keep theirs.
@Suite("Models of other programs")
struct ModelCacheTests {
    private let scratch: Program.Scratch
    private let search: ModelSearch

    init() throws {
        scratch = try Program.Scratch()
        search = ModelSearch(environment: ProcessEnvironment(["HOME": scratch.url.path]), executable: nil)
    }

    private func path(_ name: String) -> FilePath { FilePath(scratch.url.path + "/" + name) }

    private func find(_ name: String) throws(ModelSearchError) -> ModelMatch { try search.find(Array(name.utf8)) }

    /// Writes a snapshot as the hub's library does: blobs, links to them, and the reference `main`.
    ///
    /// - Returns: the snapshot's path below the home.
    @discardableResult
    private func download(
        _ repository: String, revision: String = "abc", isMain: Bool = true,
        files: [String] = ["config.json", "model.bin", "vocabulary.txt"]
    ) throws -> String {
        let root = ".cache/huggingface/hub/models--" + repository.replacingOccurrences(of: "/", with: "--")
        for file in files {
            try scratch.write("\(root)/blobs/\(revision)-\(file)", "{}")
            let link = scratch.url.appending(path: "\(root)/snapshots/\(revision)/\(file)")
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createDirectory(
                at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: "../../blobs/\(revision)-\(file)")
        }
        if isMain { try scratch.write("\(root)/refs/main", revision) }
        return "\(root)/snapshots/\(revision)"
    }

    @Test("openai-whisper's cache is searched for NAME.pt, under its short names too")
    func openAIWhisper() throws {
        for name in ["small.en", "large-v3", "large-v3-turbo"] { try scratch.write(".cache/whisper/\(name).pt", "x") }
        for (name, file) in [("small.en", "small.en"), ("large", "large-v3"), ("turbo", "large-v3-turbo")] {
            let match = try find(name)
            #expect(match.path == path(".cache/whisper/\(file).pt"))
            #expect(match.name == file && match.model?.place.owner == .openAIWhisper)
        }
    }

    @Test("a file with a short name takes precedence over what the name is short for")
    func literalAlias() throws {
        try scratch.write(".cache/whisper/large-v3-turbo.pt", "x")
        try scratch.write(".cache/whisper/turbo.pt", "x")
        #expect(try find("turbo").path == path(".cache/whisper/turbo.pt"))
    }

    @Test(
        "openai-whisper's names find the repositories of faster-whisper and transformers",
        arguments: [
            ("small", "Systran/faster-whisper-small", "small"),
            ("tiny.en", "Systran/faster-whisper-tiny.en", "tiny.en"),
            ("large", "Systran/faster-whisper-large-v3", "large-v3"),
            ("distil-small.en", "Systran/faster-distil-whisper-small.en", "distil-small.en"),
            ("distil-large-v3.5", "distil-whisper/distil-large-v3.5-ct2", "distil-large-v3.5"),
            ("turbo", "mobiuslabsgmbh/faster-whisper-large-v3-turbo", "large-v3-turbo"),
            ("large-v3-turbo", "openai/whisper-large-v3-turbo", "large-v3-turbo"),
            ("base", "openai/whisper-base", "base"),
            ("distil-large-v3", "distil-whisper/distil-large-v3", "distil-large-v3"),
        ])
    func hub(name: String, repository: String, expected: String) throws {
        let snapshot = try download(repository)
        let match = try find(name)
        #expect(match.path == path(snapshot))
        #expect(match.name == expected && match.model?.repository == repository)
        #expect(search.installed().map(\.name) == [expected])
        // The ID works as well.
        #expect(try find(repository) == (try find(expected)))
    }

    @Test("a repository with another name is found by its ID and listed only if it is a speech recognition model")
    func otherRepositories() throws {
        let tuned = try download("someone/my--tuned", files: ["config.json", "model.safetensors"])
        try download("google/bert", files: ["config.json", "model.safetensors"])
        try scratch.write(
            ".cache/huggingface/hub/models--someone--my--tuned/blobs/abc-config.json", #"{"model_type": "whisper"}"#)
        try scratch.write(
            ".cache/huggingface/hub/models--google--bert/blobs/abc-config.json", #"{"model_type": "bert"}"#)
        #expect(try find("someone/my--tuned").path == path(tuned))
        #expect(search.installed().map(\.name) == ["someone/my--tuned"])
        let converted = try download("someone/fast")
        try scratch.write(
            ".cache/huggingface/hub/models--someone--fast/blobs/abc-model.bin", "\u{6}\0\0\0\u{c}\0WhisperSpec\0")
        #expect(try find("someone/fast").path == path(converted))
        #expect(search.installed().map(\.name) == ["someone/fast", "someone/my--tuned"])
        try download("nvidia/parakeet", files: ["config.json", "model.safetensors"])
        try scratch.write(
            ".cache/huggingface/hub/models--nvidia--parakeet/blobs/abc-config.json", #"{"model_type": "parakeet_tdt"}"#)
        #expect(search.installed().map(\.name) == ["nvidia/parakeet", "someone/fast", "someone/my--tuned"])
    }

    @Test(
        "a repository may have its model in one file",
        arguments: [
            (
                "nvidia/parakeet-tdt-0.6b-v3", "parakeet-v3", ["parakeet", "parakeet-v3", "parakeet-tdt-0.6b-v3"],
                "q8_0.gguf"
            ),
            ("nvidia/parakeet-tdt-0.6b-v2", "parakeet-v2", ["parakeet-v2", "parakeet-tdt-0.6b-v2"], "f16.nemo"),
            ("someone/tuned", "someone/tuned", [], "f16.nemo"),
        ])
    func singleFile(repository: String, expected: String, names: [String], fixture: String) throws {
        let snapshot = try download(repository, files: ["README.md", "model.\(fixture)"])
        let blobs = scratch.url.appending(path: "\(snapshot)/../../blobs").standardizedFileURL
        let fixtures = Fixtures.folder.appending(path: "../parakeet/tdt").standardizedFileURL
        func replace(_ name: String, by fixture: String) throws {
            try FileManager.default.removeItem(at: blobs.appending(path: "abc-\(name)"))
            try FileManager.default.copyItem(
                at: fixtures.appending(path: fixture), to: blobs.appending(path: "abc-\(name)"))
        }
        // Neither an unfinished file nor one of another kind is a model.
        #expect(throws: ModelSearchError.self) { try find(repository) }
        try replace("model.\(fixture)", by: fixture)
        for name in names + [repository] {
            let match = try find(name)
            #expect(match.path == path(snapshot) && match.name == expected && match.model?.repository == repository)
            #expect(try ModelFamilies.open(match.path).traits.family == "Parakeet")
        }
        #expect(search.installed().map(\.name) == [expected])
        try download("someone/llama", files: ["llama.gguf"])
        try scratch.write(".cache/huggingface/hub/models--someone--llama/blobs/abc-llama.gguf", "GGUF\u{3}\0\0\0")
        #expect(try find("someone/llama").name == "someone/llama")
        #expect(search.installed().map(\.name) == [expected])
        // Weights in safetensors come first.
        let folder = ["config.json", "model.safetensors", "tokenizer.json"]
        try download(repository, files: folder)
        for name in folder { try replace(name, by: "model/\(name)") }
        #expect(try ModelFamilies.open(find(repository).path).format == "Hugging Face")
        try FileManager.default.removeItem(at: blobs.appending(path: "abc-model.safetensors"))
        #expect(try ModelFamilies.open(find(repository).path).format != "Hugging Face")
    }

    @Test("refs/main decides between revisions; without it, a single revision is used")
    func revisions() throws {
        try download("openai/whisper-base", revision: "zzz", isMain: false)
        #expect(try find("base").path.name == FilePath("zzz"))
        try download("openai/whisper-base", revision: "aaa", isMain: false)
        #expect(throws: ModelSearchError.self) { try find("base") }
        try scratch.write(".cache/huggingface/hub/models--openai--whisper-base/refs/main", "aaa\n")
        #expect(try find("base").path.name == FilePath("aaa"))
    }

    @Test("refs/main cannot lead out of the cache", arguments: ["../../../elsewhere", "..", "", "a/b"])
    func hostileReference(text: String) throws {
        try download("openai/whisper-base")
        try scratch.write("elsewhere/config.json", "{}")
        try scratch.write("elsewhere/model.bin", "{}")
        try scratch.write(".cache/huggingface/hub/models--openai--whisper-base/refs/main", text)
        #expect(throws: ModelSearchError.notInstalled(ModelAbsence(name: Array("base".utf8), installed: []))) {
            try find("base")
        }
    }

    private func search(_ variable: String, first: FilePath? = nil) -> ModelSearch {
        ModelSearch(
            first: first,
            environment: ProcessEnvironment(["HOME": scratch.url.path, "WHISPER_LOCAL_MODELS": variable]),
            executable: nil)
    }

    @Test("a cache that the user names as well is searched earlier, but keeps its layout")
    func namedCache() throws {
        let snapshot = try download("openai/whisper-base")
        try scratch.write(".local/share/whisper-local/models/ggml-base.bin", "x")
        let hub = path(".cache/huggingface/hub")
        let named = search(String(decoding: hub.bytes, as: UTF8.self))
        #expect(named.places.first == ModelPlace(hub, .huggingFace))
        #expect(try named.find(Array("base".utf8)).path == path(snapshot))
        #expect(search("", first: hub).places.first == ModelPlace(hub, .huggingFace))
        let own = path(".local/share/whisper-local/models")
        #expect(search(String(decoding: own.bytes, as: UTF8.self)).places.first == ModelPlace(own, .own))
    }

    @Test("a folder that the user names may have the layout of the Hugging Face cache")
    func copiedCache() throws {
        try download("openai/whisper-base")
        try FileManager.default.moveItem(
            at: scratch.url.appending(path: ".cache/huggingface/hub"), to: scratch.url.appending(path: "copy"))
        let snapshot = path("copy/models--openai--whisper-base/snapshots/abc")
        for search in [search(scratch.url.path + "/copy"), search("", first: path("copy"))] {
            #expect(try search.find(Array("base".utf8)).path == snapshot)
            #expect(try search.find(Array("openai/whisper-base".utf8)).path == snapshot)
            #expect(search.installed().map(\.name) == ["base"])
        }
        try scratch.write("copy/base.pt", "x")
        #expect(try search(scratch.url.path + "/copy").find(Array("base".utf8)).path == path("copy/base.pt"))
    }

    @Test("a download without weights, or with links to missing files, is not used but reported")
    func incomplete() throws {
        let root = ".cache/huggingface/hub/models--Systran--faster-whisper-base"
        let snapshot = try download("Systran/faster-whisper-base", files: ["config.json", "vocabulary.txt"])
        try scratch.write("\(root)/blobs/123.incomplete", "x")
        let place = ModelPlace(path(".cache/huggingface/hub"), .huggingFace)
        let error = ModelSearchError.incomplete(
            InstalledModel(
                name: "base", path: path(snapshot), place: place, repository: "Systran/faster-whisper-base"))
        #expect(throws: error) { try find("base") }
        #expect(error.report.what.contains("model 'base' is incomplete"))
        try download("Systran/faster-whisper-base")
        #expect(try find("base").path == path(snapshot))
        try FileManager.default.removeItem(at: scratch.url.appending(path: "\(root)/blobs/abc-model.bin"))
        #expect(throws: error) { try find("base") }
        #expect(search.installed().isEmpty)
        // The next place is used instead.
        let other = try download("openai/whisper-base")
        #expect(try find("base").path == path(other))
    }

    @Test(
        "a repository with only ONNX files is named as such, and not used",
        arguments: [
            ("istupakov/parakeet-tdt-0.6b-v3-onnx", "nemo-conformer-tdt", ["config.json", "encoder-model.onnx"], true),
            ("someone/sherpa-parakeet", "", ["encoder.int8.onnx", "tokens.txt"], true),
            ("onnx-community/parakeet-ctc-0.6b", "parakeet_ctc", ["config.json", "onnx/model.onnx"], true),
            ("onnx-community/whisper-base", "whisper", ["config.json", "onnx/encoder_model.onnx"], false),
        ])
    func onnx(repository: String, type: String, files: [String], isParakeet: Bool) throws {
        let root = ".cache/huggingface/hub/models--" + repository.replacingOccurrences(of: "/", with: "--")
        let snapshot = try download(repository, files: files.filter { !$0.contains("/") })
        if !type.isEmpty { try scratch.write("\(root)/blobs/abc-config.json", #"{"model_type": "\#(type)"}"#) }
        for file in files where file.contains("/") { try scratch.write("\(snapshot)/\(file)", "x") }
        #expect(throws: ModelError.self) { try ModelFamilies.open(find(repository).path) }
        let script = "whisper-local transcribe -m \(repository) $CLIPS/say-01.wav; whisper-local models list >list"
        let outcome = try Program.shell(script, in: scratch, environment: ["HOME": scratch.url.path])
        let what = "cannot use \(scratch.url.path)/\(snapshot) as a model: it is a folder with an ONNX model\n"
        #expect(outcome.error.hasPrefix("error: \(what)try: use "), "\(outcome)")
        #expect(outcome.error.contains("NVIDIA's .nemo or .gguf file") == isParakeet, "\(outcome)")
        #expect(outcome.error.hasSuffix("note: \(repository) cannot be used: \(what)"), "\(outcome)")
        #expect(search.installed().isEmpty)
        // Perhaps other files are still being downloaded.
        try scratch.write("\(root)/blobs/123.incomplete", "x")
        #expect(throws: ModelSearchError.self) { try find(repository) }
    }

    @Test("a repository with only a tokenizer is ignored, unless the rest is being downloaded")
    func tokenizerOnly() throws {
        let root = ".cache/huggingface/hub/models--openai--whisper-base"
        let snapshot = try download("openai/whisper-base", files: ["tokenizer.json", "preprocessor_config.json"])
        #expect(throws: ModelSearchError.notInstalled(ModelAbsence(name: Array("base".utf8), installed: []))) {
            try find("base")
        }
        try scratch.write("\(root)/blobs/123.incomplete", "x")
        do throws(ModelSearchError) { _ = try find("base") } catch {
            #expect(error.report.what.contains("is incomplete: files are missing in "))
            #expect(error.report.what.hasSuffix(snapshot))
        }
        try download("openai/whisper-base", files: ["model.safetensors", "config.json"])
        #expect(try find("base").path == path(snapshot))
    }

    @Test("a place whose model cannot be used does not hide those of later places")
    func order() throws {
        let hub = try download("Systran/faster-whisper-base")
        let transformers = try download("openai/whisper-base")
        #expect(try find("base").path == path(hub))
        #expect(try find("base").others.map(\.path) == [path(transformers)])
        try scratch.write(".cache/whisper/base.pt", "x")
        #expect(try find("base").path == path(".cache/whisper/base.pt"))
        try scratch.write(".local/share/whisper-local/models/base/config.json", "{}")
        #expect(try find("base").path == path(".cache/whisper/base.pt"))
        try scratch.write(".local/share/whisper-local/models/base/model.bin", "x")
        let match = try find("base")
        #expect(match.path == path(".local/share/whisper-local/models/base"))
        #expect(match.others.map(\.path) == [path(".cache/whisper/base.pt"), path(hub), path(transformers)])
    }

    @Test("an ID that is not in the cache is reported as a missing path")
    func unknownRepository() {
        for name in ["openai/whisper-base", "a/b/c", "../x", "x/.."] {
            #expect(throws: ModelSearchError.self) { try find(name) }
        }
        #expect(throws: ModelSearchError.noPath(FilePath("openai/whisper-base"))) { try find("openai/whisper-base") }
    }

    @Test("an unreadable model is skipped if there is another, else reported")
    func unreadable() throws {
        let script = """
            mkdir -p "$HOME/.cache/whisper" mine
            cp "$MODELS/ggml-micro.en.bin" "$HOME/.cache/whisper/small.pt"; chmod 0 "$HOME/.cache/whisper/small.pt"
            $UNPRIVILEGED whisper-local models path small; echo $?
            cp "$MODELS/ggml-micro.en.bin" mine/
            ln mine/ggml-micro.en.bin mine/ggml-small.bin
            $UNPRIVILEGED env WHISPER_LOCAL_MODELS=mine whisper-local models path small; echo $?
            mkdir locked; cp mine/ggml-small.bin locked/; chmod 0 locked
            $UNPRIVILEGED env WHISPER_LOCAL_MODELS=locked:mine whisper-local models path small; echo $?
            chmod 700 locked
            """
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome.output == "77\nmine/ggml-small.bin\n0\nmine/ggml-small.bin\n0\n")
        #expect(outcome.error.contains("small.pt: permission denied"))
    }
}
