package import WhisperEngine

/// Converts the updates of a live session into the turns that are sent to a client.
///
/// Final words of a turn never change, and each final word of the session belongs to exactly one ended turn. A turn has one
/// speaker.
package struct TurnBuilder: Sendable {
    /// How words are written.
    package enum Format: Sendable, Equatable {
        /// In lower case without punctuation.
        case plain
        case formatted
        /// Plain until the turn ends.
        case formattedAtEnd
    }

    /// Seconds between two states of an open turn.
    private static let interval = 0.1
    /// Whisper does not detect the end of a turn; punctuation is the only cue.
    private static let sentenceConfidence = 0.9
    private static let otherConfidence = 0.35

    /// An utterance whose end is at least this certain ends the turn, 0…1.
    package var threshold: Double
    /// Milliseconds of silence that end an utterance.
    package var minSilence: Int
    /// Used from the next turn on.
    package var format: Format

    private var order = 0
    private var turnFormat: Format
    /// The final words of the turn, as Whisper wrote them.
    private var frozen: [Turn.Word] = []
    /// The words that may still change.
    private var tail: [Turn.Word] = []
    /// The last final word or part of a word, with its blanks.
    private var lastPiece = ""
    /// How many of the final words were already part of an utterance.
    private var saidCount = 0
    private var language: DetectedLanguage?
    private var isChanged = false
    private var lastSent: (turn: Turn, time: Double)?

    package init(threshold: Double, minSilence: Int, format: Format) {
        self.threshold = threshold
        self.minSilence = minSilence
        self.format = format
        turnFormat = format
    }

    /// Processes the next update.
    ///
    /// - Parameter now: seconds on any monotonic clock.
    /// - Returns: the turns to send, in order.
    package mutating func apply(_ update: TranscriptUpdate, at now: Double) -> [Turn] {
        var turns: [Turn] = []
        switch update {
        case .final(let segment):
            if let speaker = segment.speaker, let before = frozen.last?.speaker, before != speaker {
                // The words that may change belong to the new speaker.
                tail = []
                if let turn = endTurn(confidence: 1) { turns.append(turn) }
            }
            beginTurn()
            frozen += Self.words(of: segment, after: lastPiece, isFinal: true)
            lastPiece = segment.words?.last?.word ?? segment.text
            tail = []
            isChanged = true
        case .volatile(let segment):
            beginTurn()
            tail = segment.map { Self.words(of: $0, after: lastPiece, isFinal: false) } ?? []
            isChanged = true
        case .event(let event):
            if case .utterance(let event) = event.window, let turn = apply(event) { turns.append(turn) }
        case .progress, .language, .status, .gap: break
        }
        if turns.isEmpty, let turn = due(at: now) { return [turn] }
        if let last = turns.last { lastSent = (last, now) }
        return turns
    }

    /// Returns the newest state of the open turn if it has changed and the last one was sent long enough ago.
    package mutating func due(at now: Double) -> Turn? {
        guard isChanged else { return nil }
        if let lastSent, now - lastSent.time < Self.interval { return nil }
        isChanged = false
        let turn = turn(isEnd: false, confidence: 0, utterance: "")
        guard !turn.words.isEmpty, turn != lastSent?.turn else { return nil }
        lastSent = (turn, now)
        return turn
    }

    /// Ends the open turn at the end of the session.
    ///
    /// - Parameter keepsTail: whether words that could still have changed become part of it, because there is no time
    ///   to recognize them again.
    package mutating func finish(keepsTail: Bool = false) -> Turn? {
        if keepsTail {
            frozen += tail.map { word in
                var word = word
                word.isFinal = true
                return word
            }
        }
        tail = []
        return endTurn(confidence: 1)
    }

    private mutating func apply(_ event: UtteranceEvent) -> Turn? {
        switch event {
        case .opened, .ending: return nil
        case .silence: return endTurn(confidence: 1)
        case .closed(let time, let isForced, let language):
            self.language = language
            if !tail.isEmpty {
                tail = []
                isChanged = true
            }
            if isForced { return endTurn(confidence: 1) }
            guard frozen.count > saidCount, let last = frozen.last else { return nil }
            let confidence = TurnText.endsSentence(last.text) ? Self.sentenceConfidence : Self.otherConfidence
            if confidence >= threshold { return endTurn(confidence: confidence) }
            let silence = (time * 1000 - Double(last.end)) / Double(max(minSilence, 1))
            let turn = turn(
                isEnd: false, confidence: confidence * min(max(silence, 0), 1), utterance: newText)
            saidCount = frozen.count
            isChanged = false
            return turn.words.isEmpty ? nil : turn
        }
    }

    /// A change of format takes effect with the first turn of which nothing has been sent yet.
    private mutating func beginTurn() {
        if frozen.isEmpty, lastSent?.turn.order != order { turnFormat = format }
    }

    private mutating func endTurn(confidence: Double) -> Turn? {
        let turn = turn(isEnd: true, confidence: confidence, utterance: newText)
        frozen = []
        saidCount = 0
        isChanged = !tail.isEmpty
        guard !turn.words.isEmpty else { return nil }
        order += 1
        turnFormat = format
        return turn
    }

    /// Whisper's text of the words that were not yet part of an utterance.
    private var newText: String { Turn.joined(Array(frozen[saidCount...])) }

    private func turn(isEnd: Bool, confidence: Double, utterance: String) -> Turn {
        let isFormatted = turnFormat == .formatted || turnFormat == .formattedAtEnd && isEnd
        var words = isEnd ? frozen : frozen + tail
        if !isFormatted {
            var previous: Character?
            // By a word that is omitted.
            var isSeparated = false
            for index in words.indices {
                let text = words[index].text
                words[index].isJoined = words[index].isJoined && !isSeparated
                words[index].text = TurnText.plain(text, after: words[index].isJoined ? previous : nil)
                isSeparated = words[index].text.isEmpty && !words[index].isJoined
                previous = text.last
            }
            words.removeAll(where: \.text.isEmpty)
        }
        return Turn(
            order: order, isFormatted: isFormatted, isEnd: isEnd, confidence: confidence, words: words,
            utterance: utterance, language: language)
    }
}

extension TurnBuilder {
    /// The words of a segment without tags for sounds other than speech; the whole text if it has no words. Whisper's words
    /// are merged where its text has no blank, as in `re-entered` and `$5.50`.
    ///
    /// - Parameter last: what is spoken before it.
    private static func words(of segment: TranscriptSegment, after last: String, isFinal: Bool) -> [Turn.Word] {
        let pieces =
            segment.words
            ?? [TranscriptWord(word: segment.text, start: segment.start, end: segment.end, probability: 0)]
        var words: [Turn.Word] = []
        var before = last
        for piece in pieces {
            defer { before = piece.word }
            let text = TurnText.spoken(piece.word)
            guard !text.isEmpty else { continue }
            let start = milliseconds(piece.start)
            let word = Turn.Word(
                text: text, start: start, end: max(start, milliseconds(piece.end)),
                confidence: piece.probability.isFinite ? min(max(piece.probability, 0), 1) : 0, isFinal: isFinal,
                isJoined: piece.word.first?.isWhitespace == false && before.last?.isWhitespace != true,
                speaker: piece.speaker ?? segment.speaker)
            if !words.isEmpty, !WordBoundary.isBetween(before, piece.word), TurnText.spoken(before) != "" {
                words[words.count - 1].append(word)
            } else {
                words.append(word)
            }
        }
        return words
    }

    private static func milliseconds(_ seconds: Double) -> Int {
        let value = (seconds * 1000).rounded()
        return value.isFinite ? Int(min(max(value, 0), 0x1p52)) : 0
    }
}
