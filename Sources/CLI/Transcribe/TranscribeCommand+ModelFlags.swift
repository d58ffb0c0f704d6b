import WhisperEngine

extension TranscribeCommand {
    static let modelFlags: [Flag<TranscribeOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()
}

extension TranscribeOptions: SpokenOptions {
    var task: TranscriptionTask {
        get { engine.decoding.task }
        set { engine.decoding.task = newValue }
    }
}
