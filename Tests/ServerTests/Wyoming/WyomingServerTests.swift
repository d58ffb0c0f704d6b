import Testing
import WhisperEngine
import WhisperServer

@Suite("Wyoming server")
struct WyomingServerTests {
    /// Notes which models it is asked about.
    private struct AskedModels: ModelProvider {
        let models = FakeModels(["base", "tiny.en"])
        let asked: AsyncStream<String>.Continuation

        var names: [String] { models.names }
        var defaultModel: String { models.defaultModel }

        func traits(of name: String) -> ModelTraits? {
            asked.yield(name)
            return models.traits(of: name)
        }

        func model(_ requested: String?) async throws(HTTPError) -> ServedModel { try await models.model(requested) }
    }

    @Test("the models are opened before a client asks for them", .timeLimit(.minutes(1)))
    func opening() async throws {
        let (names, asked) = AsyncStream<String>.makeStream()
        let server = WyomingServer(
            WyomingSettings(.port(host: "127.0.0.1", port: 0)), models: AskedModels(asked: asked),
            transcriber: StubTranscriber(), slots: SessionSlots(limit: 1, idleTime: 60), log: { _ in })
        #expect(try server.start().hasPrefix("wyoming://127.0.0.1:"))
        var found: [String] = []
        for await name in names.prefix(2) { found.append(name) }
        #expect(found == ["base", "tiny.en"])
        await server.stop(within: 1)
    }
}
