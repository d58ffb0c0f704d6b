package import EngineModels

extension TranscriptionOptions {
    /// The defaults of openai-whisper's function `transcribe()`, which the golden data was made with: greedy search, a single
    /// sample, no guards.
    package static var reference: TranscriptionOptions {
        var options = TranscriptionOptions.openAIWhisper
        options.beamSize = 1
        options.whisper.decoding.bestOf = nil
        return options
    }
}
