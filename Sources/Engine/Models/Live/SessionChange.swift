package import EngineVocabulary

/// Settings of a running session to change. `nil` leaves a setting as it is.
package struct SessionChange: Sendable, Hashable {
    /// Seconds of silence that end an utterance; both detectors start with 0.5.
    package var endSilence: Double?
    /// The probability from which Silero's network counts a window as speech, 0…1.
    package var speechThreshold: Float?
    /// Seconds after the last word at which a silence between utterances is reported as long; initially none is
    /// reported.
    package var longSilence: Double?
    /// The text that prompts every pass; empty for none.
    package var initialPrompt: String?
    /// Terms to expect besides those of the session's options.
    package var terms: [Term]?
    /// Codes of the languages that may be spoken: one to fix it, several to detect one of them, none to detect any.
    package var languages: [String]?

    package init() {}

    /// Replaces the settings that a later change sets.
    package mutating func merge(_ later: SessionChange) {
        endSilence = later.endSilence ?? endSilence
        speechThreshold = later.speechThreshold ?? speechThreshold
        longSilence = later.longSilence ?? longSilence
        initialPrompt = later.initialPrompt ?? initialPrompt
        terms = later.terms ?? terms
        languages = later.languages ?? languages
    }
}
