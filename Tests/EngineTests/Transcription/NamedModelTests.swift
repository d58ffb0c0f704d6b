import EngineBasics
import EngineInstalled
import EngineTranscription
import Testing

@Suite("Models by name")
struct NamedModelTests {
    @Test("a recognizer finds the models that the program finds, by name or by path")
    func names() async throws {
        let named = try await Recognizer(model: "nano.en")
        #expect(named.model.traits.isDemonstration)
        let path = try #require(try? ModelSearch.standard.find(named: Array("nano.en".utf8)).path)
        #expect(try await Recognizer(model: "\(path)").model.traits == named.model.traits)
    }

    @Test("an unknown name is an error that lists the installed ones")
    func unknown() async {
        let error = await #expect(throws: ModelSearchError.self) { try await Recognizer(model: "nano.enn") }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("model 'nano.enn' is not installed") && text.contains("did you mean 'nano.en'?"))
    }
}
