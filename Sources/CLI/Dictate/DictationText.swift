import WhisperEngine

/// The way from the sound of one press to its text; what is understood so far is shown meanwhile.
struct DictationText: Sendable {
    let recognizer: Recognizer
    /// As it is before it has heard anything; `nil` takes all sound for speech.
    let detector: (any VoiceActivityDetector)?
    let options: StreamingOptions
    let journal: DictationJournal?
    let display: DictateDisplay

    /// - Returns: when the sound is over; empty where nothing was said.
    func text(of dictation: Dictation) async throws -> String {
        let session = try StreamingSession(
            recognizer, options: options, detector: detector, journal: journal,
            start: journal?.start ?? SessionStart())
        dictation.attach(session)
        let reader = Task { [display] in
            var finals: [TranscriptSegment] = []
            for try await update in session.updates {
                switch update {
                case .final(let segment): finals.append(segment)
                case .volatile(let segment):
                    await display.show(volatile: finals.map(\.text).joined() + (segment?.text ?? ""))
                default: break
                }
            }
            return finals
        }
        for await samples in dictation.sound { try session.feed(samples) }
        if dictation.isDropped { await session.cancel() } else { try await session.stop() }
        let finals = try await reader.value
        await display.show(volatile: "")
        return String(finals.map(\.text).joined().drop { $0.isWhitespace })
    }
}
