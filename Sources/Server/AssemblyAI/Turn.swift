package import WhisperEngine

/// A state of a turn as it is sent to the client.
package struct Turn: Sendable, Equatable {
    package struct Word: Sendable, Equatable {
        package var text: String
        /// Milliseconds from the start of the stream.
        package var start: Int
        package var end: Int
        /// 0…1.
        package var confidence: Double
        /// Whether the word never changes again.
        package var isFinal: Bool
        /// Whether it follows the previous word without a blank: in languages that do not use blanks, and where that word
        /// was already final when its rest was heard.
        package var isJoined: Bool
        /// Known only for final words.
        package var speaker: String?

        package init(
            text: String, start: Int, end: Int, confidence: Double, isFinal: Bool, isJoined: Bool = false,
            speaker: String? = nil
        ) {
            self.text = text
            self.start = start
            self.end = end
            self.confidence = confidence
            self.isFinal = isFinal
            self.isJoined = isJoined
            self.speaker = speaker
        }

        /// Appends the rest of the word. The confidence is that of the less certain part.
        mutating func append(_ rest: Word) {
            text += rest.text
            end = max(end, rest.end)
            confidence = min(confidence, rest.confidence)
        }
    }

    /// Number of the turn, from 0.
    package var order: Int
    /// Whether the words have casing and punctuation.
    package var isFormatted: Bool
    /// Whether the turn has ended; all its words are final then.
    package var isEnd: Bool
    /// How certain it is that the turn ends here, 0…1.
    package var confidence: Double
    /// All words of the turn so far, the final ones first.
    package var words: [Word]
    /// Whisper's text since the last pause, if a pause follows it; otherwise empty.
    package var utterance: String
    /// The language of the last utterance.
    package var language: DetectedLanguage?

    package init(
        order: Int, isFormatted: Bool, isEnd: Bool, confidence: Double, words: [Word], utterance: String = "",
        language: DetectedLanguage? = nil
    ) {
        self.order = order
        self.isFormatted = isFormatted
        self.isEnd = isEnd
        self.confidence = confidence
        self.words = words
        self.utterance = utterance
        self.language = language
    }

    /// The final words.
    package var transcript: String { Self.joined(words.filter(\.isFinal)) }
    /// All words.
    package var text: String { Self.joined(words) }
    /// The speaker of the final words, which all have the same one.
    package var speaker: String? { words.first?.speaker }
    /// Mean confidence of the words.
    package var wordConfidence: Double {
        words.isEmpty ? 0 : words.reduce(0) { $0 + $1.confidence } / Double(words.count)
    }

    package static func joined(_ words: [Word]) -> String {
        var text = ""
        for word in words {
            if !text.isEmpty, !word.isJoined { text += " " }
            text += word.text
        }
        return text
    }
}
