import WhisperEngine
import WhisperServer

/// The updates of a made-up live session. They keep the rules of a session by construction.
struct TurnScript {
    private(set) var updates: [TranscriptUpdate] = []
    private var nextID = 0
    /// End of the last final word in seconds.
    private(set) var end = 0.0
    private(set) var words: [TranscriptWord] = []
    var language: String?

    static func word(
        _ text: String, _ start: Double, _ end: Double, _ probability: Double = 0.9, speaker: String? = nil
    ) -> TranscriptWord {
        TranscriptWord(word: text, start: start, end: end, probability: probability, speaker: speaker)
    }

    mutating func final(_ words: TranscriptWord...) { final(words) }

    mutating func final(_ words: [TranscriptWord]) {
        updates.append(.final(segment(words, isFinal: true)))
        nextID += 1
        end = words.last?.end ?? end
        self.words += words
    }

    mutating func volatile(_ words: TranscriptWord...) { volatile(words) }

    mutating func volatile(_ words: [TranscriptWord]) {
        updates.append(.volatile(words.isEmpty ? nil : segment(words, isFinal: false)))
    }

    mutating func closed(at time: Double, isForced: Bool = false, language: DetectedLanguage? = nil) {
        utterance(.closed(at: time, isForced: isForced, language: language))
    }

    mutating func utterance(_ event: UtteranceEvent) {
        updates.append(.event(TranscriptUpdate.Event(.utterance(event))))
    }

    private func segment(_ words: [TranscriptWord], isFinal: Bool) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: nextID, seek: 0, start: words.first?.start ?? end, end: words.last?.end ?? end,
            text: words.map(\.word).joined(), tokens: [], temperature: 0, avgLogprob: 0, compressionRatio: 0,
            noSpeechProb: 0, words: words)
        segment.isFinal = isFinal
        segment.speaker = words.first?.speaker
        segment.language = language
        return segment
    }
}

extension TurnBuilder {
    /// Applies updates at intervals of a second, so that no state is held back.
    mutating func apply(_ updates: [TranscriptUpdate], from start: Double = 0) -> [Turn] {
        updates.enumerated().flatMap { index, update in apply(update, at: start + Double(index)) }
    }
}
