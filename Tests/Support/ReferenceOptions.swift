package import EngineModels

extension TranscriptionOptions {
    /// The defaults of openai-whisper's function `transcribe()`, which the golden data was made with: greedy search, a single
    /// sample, no guards.
    package static var reference: TranscriptionOptions {
        var options = TranscriptionOptions.openAIWhisper
        options.whisper.decoding.beamSize = nil
        options.whisper.decoding.bestOf = nil
        return options
    }
}
