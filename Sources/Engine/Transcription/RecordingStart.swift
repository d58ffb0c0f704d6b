import EngineAudio
package import EngineModels
package import EngineTranscripts
import EngineVoices

/// What is known of a recording before its first window is decoded.
package struct RecordingStart: Sendable {
    /// Seconds of audio to transcribe; `nil` if it is still being read and does not say.
    package var duration: Double?
    /// Seconds of it that are speech, if only speech is transcribed.
    package var speechDuration: Double?
    /// The code of the language, such as `en`.
    package var language = "en"
    /// 0…1; 1 if the language did not have to be detected.
    package var languageProbability = 1.0
    /// Of every language, the greatest first, if the language was detected by them.
    package var languageProbabilities: [DetectedLanguage]?

    package init(duration: Double?) { self.duration = duration }

    /// Of a recording that has been read.
    package init(_ summary: RecordingSummary) {
        duration = summary.duration
        speechDuration = summary.speech.map { AudioChunk.seconds(of: $0.kept.count) }
    }

    /// Notes what the detection of the language reports.
    mutating func note(_ update: TranscriptUpdate) {
        if case .language(let code, let probability, _) = update {
            (language, languageProbability) = (code, probability)
        }
    }
}
