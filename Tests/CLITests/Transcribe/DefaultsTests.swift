import Testing
import WhisperCommands
import WhisperEngine

@Suite("Defaults")
struct DefaultsTests {
    @Test("the program transcribes like the library, unless an option says otherwise")
    func same() {
        #expect(TranscribeOptions().transcription == TranscriptionOptions())
    }

    @Test("openai-whisper's defaults differ in the guards only")
    func reference() {
        var options = TranscriptionOptions.openAIWhisper
        #expect(options.isGuarded == false)
        options.guards = nil
        #expect(options == TranscriptionOptions())
    }
}
