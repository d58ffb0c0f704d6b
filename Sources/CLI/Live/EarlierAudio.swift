import WhisperEngine

/// Audio that an earlier run of a session saved but did not transcribe before its process died.
struct EarlierAudio: Sendable {
    private let audio: UnrecognizedAudio
    /// The first sample to transcribe.
    private let firstSample: Int
    private let journal: SQLiteJournal

    /// Returns `nil` if there is none.
    init?(of journal: SQLiteJournal) async throws {
        guard journal.isInterrupted, let audio = try journal.unrecognizedAudio(),
            let firstSample = try await audio.firstSpeech()
        else { return nil }
        (self.audio, self.firstSample, self.journal) = (audio, firstSample, journal)
    }

    /// Where the session starts in order to transcribe it.
    var start: SessionStart {
        var start = journal.start
        (start.clock, start.captureStart) = (firstSample, journal.clock)
        return start
    }

    var seconds: Double { AudioChunk.seconds(of: audio.end - firstSample) }

    /// The new audio starts here on the session clock, in seconds.
    var end: Double { AudioChunk.seconds(of: journal.clock) }

    /// Passes the audio to the session and ends its last utterance.
    func feed(to session: StreamingSession) async throws {
        try await audio.read(from: firstSample) { try session.feed($0) }
        // The process died before it could save the rest.
        var missing = journal.clock - audio.end
        while missing > 0 {
            let count = min(missing, AudioChunk.sampleRate)
            try session.feed([Float](repeating: 0, count: count))
            missing -= count
        }
        session.endUtterance()
    }
}
