import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Model search")
struct ModelSearchTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func search(_ variables: [String: String] = [:], executable: String? = nil) -> ModelSearch {
        ModelSearch(
            environment: ProcessEnvironment(variables), executable: executable.map { FilePath(scratch.url.path + $0) })
    }

    private func path(_ name: String) -> FilePath { FilePath(scratch.url.path + "/" + name) }

    @Test("the user's folders are searched first, then other programs' caches, then this program's models")
    func places() {
        let variables = [
            "WHISPER_LOCAL_MODELS": "/a:/b:", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "/cache", "HOME": "/home",
        ]
        let search = ModelSearch(
            first: FilePath("/first"), environment: ProcessEnvironment(variables),
            executable: path(".build/release/whisper-local"))
        #expect(
            search.places == [
                ModelPlace(FilePath("/first"), .option), ModelPlace(FilePath("/a"), .variable),
                ModelPlace(FilePath("/b"), .variable), ModelPlace(FilePath("/data/whisper-local/models"), .own),
                ModelPlace(FilePath("/cache/whisper"), .openAIWhisper),
                ModelPlace(FilePath("/cache/huggingface/hub"), .huggingFace),
                ModelPlace(path(".build/share/whisper-local/models"), .program),
                ModelPlace(path("Models"), .repository),
            ])
    }

    @Test("a folder that is named twice is searched once")
    func repeatedFolder() {
        #expect(search(["WHISPER_LOCAL_MODELS": "/a:/b:/a"]).places.map(\.folder) == [FilePath("/a"), FilePath("/b")])
    }

    @Test("the user's own folder is still the user's if the program is installed next to it")
    func ownFolderOfProgram() {
        let search = search(["HOME": scratch.url.path], executable: "/.local/bin/whisper-local")
        #expect(search.places.first == ModelPlace(path(".local/share/whisper-local/models"), .own))
    }

    @Test("without XDG folders those in the home are used, and relative ones are ignored")
    func homes() {
        let folders = [".local/share/whisper-local/models", ".cache/whisper", ".cache/huggingface/hub"]
            .map { FilePath("/home/\($0)") }
        #expect(search(["HOME": "/home"]).places.map(\.folder) == folders)
        let relative = ["XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "HF_HOME": "hf", "HF_HUB_CACHE": "hub"]
        #expect(search(relative.merging(["HOME": "/home"]) { $1 }).places.map(\.folder) == folders)
        #expect(search(["HOME": "home"]).places == [])
        #expect(search([:]).places == [])
    }

    @Test(
        "the variables of the Hugging Face libraries move their cache",
        arguments: [
            (["HF_HOME": "/hf"], "/hf/hub"), (["HF_HOME": "/hf", "HF_HUB_CACHE": "/hub"], "/hub"),
            (["HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/hf"], "/old"),
        ])
    func hubVariables(variables: [String: String], expected: String) {
        #expect(search(variables).places == [ModelPlace(FilePath(expected), .huggingFace)])
    }

    @Test(
        "a name stands for several file names",
        arguments: ["small", "ggml-small.bin", "small.ggml.bin", "small.pt", "small/model.safetensors"])
    func names(file: String) throws {
        try scratch.write("models/\(file)", "x")
        let isFolder = file.contains("/")
        if isFolder { try scratch.write("models/small/config.json", "{}") }
        let found = try search(["WHISPER_LOCAL_MODELS": scratch.url.path + "/models"]).find(Array("small".utf8))
        #expect(found.path == path("models/\(isFolder ? "small" : file)") && found.name == "small")
    }

    @Test("NVIDIA's name of a model is one of its names, in any place")
    func publishersName() throws {
        try scratch.write("models/parakeet-v2.nemo", "x")
        try scratch.write("models/parakeet-tdt-0.6b-v3.nemo", "x")
        let search = search(["WHISPER_LOCAL_MODELS": scratch.url.path + "/models"])
        for name in ["parakeet", "parakeet-v3", "parakeet-tdt-0.6b-v3"] {
            #expect(try search.find(Array(name.utf8)).path == path("models/parakeet-tdt-0.6b-v3.nemo"))
        }
        for name in ["parakeet-v2", "parakeet-tdt-0.6b-v2"] {
            #expect(try search.find(Array(name.utf8)).path == path("models/parakeet-v2.nemo"))
        }
    }

    @Test("the names of a Parakeet model find its files of any type, without a type first, then the most precise")
    func versions() throws {
        let search = search(["WHISPER_LOCAL_MODELS": scratch.url.path + "/models"])
        try scratch.write("models/parakeet-tdt-0.6b-v3.q4_k.gguf", "x")
        #expect(throws: ModelSearchError.self) { try search.find(Array("parakeet".utf8)) }
        for (file, name) in [
            ("parakeet-v3-q4_0.gguf", "parakeet-v3-q4_0"),
            ("ggml-parakeet-tdt-0.6b-v3-q5_1.bin", "parakeet-tdt-0.6b-v3-q5_1"),
            ("parakeet-tdt-0.6b-v3.q8_0.gguf", "parakeet-tdt-0.6b-v3.q8_0"),
            ("parakeet-tdt-0.6b-v3-F16.gguf", "parakeet-tdt-0.6b-v3-F16"),
            ("parakeet-tdt-0.6b-v3.nemo", "parakeet-tdt-0.6b-v3"), ("parakeet-v3.gguf", "parakeet-v3"),
        ] {
            try scratch.write("models/\(file)", "x")
            for short in ["parakeet", "parakeet-v3"] {
                let match = try search.find(Array(short.utf8))
                #expect(match.path == path("models/\(file)") && match.name == name, "\(file)")
            }
            #expect(try search.find(Array(name.utf8)).path == path("models/\(file)"), "\(name)")
        }
        // Those of Whisper are models of their own, as are those of the other version.
        try scratch.write("models/ggml-base-q5_1.bin", "x")
        for name in ["base", "parakeet-v2"] {
            #expect(throws: ModelSearchError.self) { try search.find(Array(name.utf8)) }
        }
    }

    @Test("a path takes precedence over a name, and the first folder with the name wins")
    func order() throws {
        try scratch.write("a/tiny.pt", "x")
        try scratch.write("b/ggml-tiny.bin", "x")
        let both = ["WHISPER_LOCAL_MODELS": "\(scratch.url.path)/b:\(scratch.url.path)/a"]
        #expect(try search(both).find(Array("tiny".utf8)).path == path("b/ggml-tiny.bin"))
        #expect(try search(both).find(path("a/tiny.pt").bytes).path == path("a/tiny.pt"))
        #expect(try search(both).find(Array("tiny".utf8)).others.map(\.path) == [path("a/tiny.pt")])
        #expect(search(both).installed().map(\.name) == ["tiny"])
    }

    @Test("a missing model is reported with the installed ones")
    func missing() throws {
        try scratch.write("a/small.pt", "x")
        try scratch.write("a/notes.txt", "x")
        let search = search(["WHISPER_LOCAL_MODELS": "\(scratch.url.path)/a"])
        #expect(
            throws: ModelSearchError.notInstalled(ModelAbsence(name: Array("smal".utf8), installed: ["small"]))
        ) { try search.find(Array("smal".utf8)) }
        #expect(throws: ModelSearchError.noPath(path("none.bin"))) { try search.find(path("none.bin").bytes) }
    }

    @Test("a report names the variable that the name came from")
    func variable() {
        let error = ModelSearchError.notInstalled(ModelAbsence(name: Array("other".utf8), installed: []))
        #expect(error.report(from: nil).what == "model 'other' is not installed (installed: none)")
        #expect(
            error.report(from: "WHISPER_LOCAL_MODEL").what
                == "model 'other' is not installed (installed: none) (from $WHISPER_LOCAL_MODEL)")
        #expect(error.report.status == .unavailable)
    }

    @Test(
        "for an unknown name, the error suggests the nearest one and how to get a published model",
        arguments: [
            (
                "smal", "model 'smal' is not installed; did you mean 'small'? (installed: 'my model')",
                "whisper-local models pull small"
            ),
            (
                "my modle", "model 'my modle' is not installed; did you mean 'my model'? (installed: 'my model')",
                "whisper-local models list, or pass the path of the weights"
            ),
            (
                "turbo", "model 'turbo' is not installed (installed: 'my model')",
                "whisper-local models pull large-v3-turbo"
            ),
            (
                "parakeet-tdt-0.6b-v3", "model 'parakeet-tdt-0.6b-v3' is not installed (installed: 'my model')",
                "whisper-local models pull parakeet-v3"
            ),
            (
                "parakeet-tdt-0.6b-v3-int8",
                "model 'parakeet-tdt-0.6b-v3-int8' is not installed; did you mean 'parakeet-tdt-0.6b-v3'? "
                    + "(installed: 'my model')",
                "whisper-local models pull parakeet-v3"
            ),
            (
                "large-v3-q5_0", "model 'large-v3-q5_0' is not installed (installed: 'my model')",
                "whisper-local models pull large-v3-q5_0"
            ),
        ])
    func suggestions(name: String, what: String, advice: String) throws {
        try scratch.write("models/ggml-my model.bin", "x")
        let search = search(["WHISPER_LOCAL_MODELS": scratch.url.path + "/models"])
        do throws(ModelSearchError) {
            _ = try search.find(Array(name.utf8))
            Issue.record("found")
        } catch { #expect(error.report == ErrorReport(.unavailable, what, advice: advice)) }
        #expect(try search.find(Array("my model".utf8)).path == path("models/ggml-my model.bin"))
    }
}
