package import EngineTranscripts

/// The beginning of a recording, or of one of its channels, as far as an interrupted transcription came.
package struct TranscribedPart: Hashable, Sendable {
    /// Seconds of the recording up to which it has been transcribed.
    package let position: Double
    /// The segments before.
    package let transcript: Transcript

    package init(position: Double, transcript: Transcript) {
        self.position = position
        self.transcript = transcript
    }
}
