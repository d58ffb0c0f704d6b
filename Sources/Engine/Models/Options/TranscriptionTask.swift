/// What to do with the speech.
public enum TranscriptionTask: String, Codable, Hashable, Sendable, CaseIterable {
    /// Transcribe speech in its own language.
    case transcribe
    /// Translate speech into English.
    case translate
}
