import Foundation
import Testing
import WhisperEngine
import whisper_local

@Suite("Model search")
struct ModelSearchTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func search(_ variables: [String: String] = [:], executable: String? = nil) -> ModelSearch {
        ModelSearch(
            environment: ProcessEnvironment(variables), executable: executable.map { FilePath(scratch.url.path + $0) })
    }

    private func path(_ name: String) -> FilePath { FilePath(scratch.url.path + "/" + name) }

    @Test("the folders are the variable's, the data folder's, the installation's and the repository's, in that order")
    func folders() {
        let search = search(
            ["WHISPER_LOCAL_MODELS": "/a:/b:", "XDG_DATA_HOME": "/data", "HOME": "/home"],
            executable: "/.build/release/whisper-local")
        #expect(
            search.folders == [
                FilePath("/a"), FilePath("/b"), FilePath("/data/whisper-local/models"),
                path(".build/share/whisper-local/models"), path("Models"),
            ])
    }

    @Test("without a data folder the one in the home is used, and relative ones are ignored")
    func homes() {
        #expect(search(["HOME": "/home"]).folders == [FilePath("/home/.local/share/whisper-local/models")])
        #expect(
            search(["HOME": "/home", "XDG_DATA_HOME": "data"]).folders
                == [FilePath("/home/.local/share/whisper-local/models")])
        #expect(search(["HOME": "home"]).folders == [])
        #expect(search([:]).folders == [])
    }

    @Test(
        "a name stands for several file names",
        arguments: ["small", "ggml-small.bin", "small.ggml.bin", "small.pt", "small/config.json"])
    func names(file: String) throws {
        try scratch.write("models/\(file)", "x")
        let found = try search(["WHISPER_LOCAL_MODELS": scratch.url.path + "/models"]).find(Array("small".utf8))
        let expected = file.hasSuffix("json") ? "small" : file
        #expect(found == path("models/\(expected)"))
    }

    @Test("a path takes precedence over a name, and the first folder with the name wins")
    func order() throws {
        try scratch.write("a/tiny.pt", "x")
        try scratch.write("b/ggml-tiny.bin", "x")
        let both = ["WHISPER_LOCAL_MODELS": "\(scratch.url.path)/b:\(scratch.url.path)/a"]
        #expect(try search(both).find(Array("tiny".utf8)) == path("b/ggml-tiny.bin"))
        #expect(try search(both).find(path("a/tiny.pt").bytes) == path("a/tiny.pt"))
        #expect(search(both).installed().map(\.name) == ["tiny"])
    }

    @Test("a missing model is reported with the installed ones")
    func missing() throws {
        try scratch.write("a/small.pt", "x")
        try scratch.write("a/notes.txt", "x")
        try scratch.write("empty/readme", "x")
        let search = search(["WHISPER_LOCAL_MODELS": "\(scratch.url.path)/a"])
        #expect(
            throws: ModelSearchError.notInstalled(name: Array("smal".utf8), installed: ["small"], nearest: "small")
        ) { try search.find(Array("smal".utf8)) }
        #expect(throws: ModelSearchError.noPath(path("none.bin"))) { try search.find(path("none.bin").bytes) }
        #expect(throws: ModelSearchError.folderWithoutModel(path("empty"))) { try search.find(path("empty").bytes) }
    }

    @Test("a report names the variable that the name came from")
    func variable() {
        let error = ModelSearchError.notInstalled(name: Array("smal".utf8), installed: [], nearest: nil)
        #expect(error.report(from: nil).what == "model 'smal' is not installed (installed: none)")
        #expect(
            error.report(from: "WHISPER_LOCAL_MODEL").what
                == "model 'smal' is not installed (installed: none) (from $WHISPER_LOCAL_MODEL)")
        #expect(error.report.status == .unavailable)
    }
}
