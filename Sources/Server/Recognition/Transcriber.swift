package import WhisperEngine

/// Runs recognitions for the routes: one queue for all of them, bounded and fair among clients.
package protocol Transcriber: Sendable {
    /// Transcribes an uploaded recording.
    ///
    /// Identical requests in flight share one recognition. Cancelling the calling task drops this caller's share of it;
    /// the recognition stops when no caller is waiting for it.
    ///
    /// - Parameters:
    ///   - upload: any audio format.
    ///   - client: identifies the client; requests of different clients alternate.
    ///   - updates: receives the same updates as `Recognizer.transcribe`; those before the call joined a shared
    ///     recognition are repeated first, finals only.
    func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription
}

/// The result of a recognition.
package struct Transcription: Sendable {
    package let transcript: Transcript
    /// The name of the model that was used.
    package let model: String
    /// Seconds that the recognition took, without waiting.
    package let seconds: Double

    package init(transcript: Transcript, model: String, seconds: Double) {
        self.transcript = transcript
        self.model = model
        self.seconds = seconds
    }
}
