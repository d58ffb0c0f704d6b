import Testing
import WhisperServer

@Suite("OpenAI models")
struct OpenAIModelsTests {
    private static let installed = FakeModels(["base", "tiny.en", "large-v3", "my/own model"])

    @Test(
        "names of other services find the installed model of the same size, or the default",
        arguments: [
            ("base", "base"), ("tiny.en", "tiny.en"), ("my/own model", "my/own model"), ("whisper-1", "base"),
            ("gpt-transcribe", "base"), ("gpt-4o-transcribe", "base"), ("gpt-4o-mini-transcribe", "base"),
            ("gpt-4o-mini-transcribe-2025-12-15", "base"), ("gpt-4o-transcribe-diarize", "base"),
            ("whisper-large-v3", "large-v3"), ("whisper-large", "large-v3"), ("whisper-large-v3-turbo", "base"),
            ("distil-whisper-large-v3-en", "base"), ("Systran/faster-whisper-tiny.en", "tiny.en"),
            ("Systran/faster-whisper-small", "base"), ("openai/whisper-large-v3", "large-v3"),
            ("deepdml/faster-whisper-large-v3-turbo-ct2", "base"), ("medium.en", "base"), ("turbo", "base"),
        ])
    func names(requested: String, model: String) {
        #expect(ModelNames(Self.installed).model(for: requested) == model)
    }

    @Test("turbo and large-v3-turbo are the same model")
    func turbo() {
        for (installed, requested) in [("turbo", "whisper-large-v3-turbo"), ("large-v3-turbo", "turbo")] {
            #expect(ModelNames(FakeModels([installed], defaultModel: "base")).model(for: requested) == installed)
        }
    }

    @Test("Parakeet's names find the installed model of that version, and the most precise of several types")
    func parakeet() {
        for (installed, requested) in [
            (["parakeet-v3"], "parakeet"), (["parakeet-v3"], "nvidia/parakeet-tdt-0.6b-v3"),
            (["parakeet-tdt-0.6b-v2"], "parakeet-v2"),
            (["parakeet-tdt-0.6b-v3.q8_0", "parakeet-v3-q4_0"], "nvidia/parakeet-tdt-0.6b-v3"),
        ] {
            #expect(
                ModelNames(FakeModels(installed, defaultModel: "base")).model(for: requested) == installed[0])
        }
        #expect(ModelNames(FakeModels(["parakeet-v2"], defaultModel: "base")).model(for: "parakeet") == nil)
    }

    @Test("other names mean nothing", arguments: ["no/such", "gpt-4", "", "whisper-", "tiny.de"])
    func unknown(name: String) { #expect(ModelNames(Self.installed).model(for: name) == nil) }

    @Test("the list has the installed models and the clouds' names, each once")
    func list() async {
        let models = OpenAIModels(Self.installed, dialect: .openAI, created: 1_790_000_000)
        let text = await models.list.text()
        #expect(
            text.hasPrefix(
                #"{"object":"list","data":[{"id":"base","object":"model","created":1790000000,"owned_by":"whisper-local"},"#
            ))
        for name in ["tiny.en", "whisper-1", "whisper-large-v3-turbo", "whisper-large"] {
            #expect(text.split(separator: "\"id\":\"\(name)\"").count == 2)
        }
        let groq = await OpenAIModels(Self.installed, dialect: .groq, created: 1).list.text()
        #expect(groq.contains(#""created":1,"owned_by":"whisper-local","active":true,"context_window":448}"#))
    }

    @Test("one model is an object, an unknown one is not found")
    func one() async throws {
        let models = OpenAIModels(Self.installed, dialect: .openAI, created: 5)
        #expect(
            try await models.model("my/own model").text()
                == #"{"id":"my/own model","object":"model","created":5,"owned_by":"whisper-local"}"#)
        let error = #expect(throws: HTTPError.self) { try models.model("no/such") }
        #expect(error?.status == 404 && error?.code == "model_not_found" && error?.param == "model")
    }

    @Test("the routes find models whose names contain slashes")
    func routes() async {
        let routes = OpenAIRoutes.routes(StubTranscriber(), models: Self.installed)
        for prefix in ["/v1", "/openai/v1"] {
            let request = { (id: String) in Request(RequestHead(method: "GET", path: "\(prefix)/models\(id)")) }
            #expect(await routes.respond(to: request("/my/own model")).text().contains(#""id":"my/own model""#))
            #expect(await routes.respond(to: request("/no/such")).status == 404)
            #expect(await routes.respond(to: request("")).text().hasPrefix(#"{"object":"list""#))
        }
    }
}
