import Testing
import WhisperCommands
import WhisperEngine

@Suite("Defaults")
struct DefaultsTests {
    @Test("the program transcribes like the library, unless an option says otherwise")
    func same() {
        var program = TranscribeOptions().transcription
        let library = TranscriptionOptions()
        let pairs = zip(program.whisper.temperatures, library.whisper.temperatures)
        #expect(program.whisper.temperatures.count == 6 && pairs.allSatisfy { abs($0 - $1) < 1e-12 })
        // The command computes 0.6000000000000001, as openai-whisper's does.
        program.whisper.temperatures = library.whisper.temperatures
        #expect(program == library)
    }

    @Test("openai-whisper's defaults differ in the guards only")
    func reference() {
        var options = TranscriptionOptions.openAIWhisper
        #expect(options.isGuarded == false)
        options.guards = nil
        #expect(options == TranscriptionOptions())
    }
}
