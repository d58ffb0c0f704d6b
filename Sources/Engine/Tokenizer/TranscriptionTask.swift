/// What to do with the speech.
public enum TranscriptionTask: String, Codable, Hashable, Sendable, CaseIterable {
    /// Write it down in its own language.
    case transcribe
    /// Write it down in English.
    case translate
}
