import WhisperEngine

/// What the recognition reports becomes items and their text.
extension RealtimeRun {
    /// Milliseconds of silence that detectors keep before speech.
    private static let preRoll = 300

    func show(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment): add(segment)
        case .event(let event):
            if case .utterance(let event) = event.window { show(event) }
        default: break
        }
    }

    private func show(_ event: UtteranceEvent) {
        switch event {
        case .opened(let time): open(at: time)
        case .ending(let time, let isForced):
            if isForced { reach(at: time) } else if session.turns?.kind == .server { endTurn(at: time) }
        case .closed(let time, let isForced, let language):
            if isForced {
                reach(at: time)
                finishMark(language: language)
            } else if let turns = session.turns, let turn {
                if turns.kind == .semantic, turn.endsSentence { endTurn(at: time) }
                if self.turn?.isCommitted == true { completeTurn(language) }
            }
        case .silence(let time):
            if session.turns?.kind == .semantic, turn != nil {
                endTurn(at: time)
                completeTurn(nil)
            }
        }
    }

    private func add(_ segment: TranscriptSegment) {
        if session.turns == nil {
            guard !items.isEmpty else { return }
            items[0].add(segment)
            if session.isLive || items[0].isCommitted { sendText(of: &items[0]) }
        } else if turn != nil, marks.first.map({ $0.reason == .clear && $0.isReached }) != true {
            turn?.add(segment)
            if var turn {
                sendText(of: &turn)
                self.turn = turn
            }
        }
    }

    /// Sends the text that has become final.
    private func sendText(of item: inout RealtimeItem) {
        guard session.transcription != nil else { return }
        for (delta, segment) in item.unsent() {
            if !delta.isEmpty {
                messages.delta(delta, of: item, logprobs: session.wantsLogprobs ? segment : nil)
            }
            if session.wantsSpeakers, segment.speaker != nil { messages.segment(segment, of: item) }
        }
    }

    // MARK: - Turns

    private func open(at time: Double) {
        guard let turns = session.turns, turn == nil else { return }
        let item = RealtimeItem(start: time)
        turn = item
        let start = Self.milliseconds(time) + Self.preRoll - turns.prefixPadding
        messages.speechStarted(item, at: max(start, lastEnd))
    }

    /// Ends the turn after a silence.
    private func endTurn(at time: Double) {
        guard let turn else { return }
        messages.speechStopped(turn, at: max(lastEnd, Self.milliseconds(time)))
        commitTurn(at: time)
    }

    private func commitTurn(at time: Double) {
        guard var item = turn, !item.isCommitted else { return }
        item.end = time
        item.isCommitted = true
        lastEnd = max(lastEnd, Self.milliseconds(time))
        messages.committed(item)
        turn = item
    }

    private func completeTurn(_ language: DetectedLanguage?) {
        guard let item = turn else { return }
        turn = nil
        complete(item, language)
    }

    private func complete(_ item: RealtimeItem, _ language: DetectedLanguage?) {
        guard session.transcription != nil else { return }
        messages.completed(item, language: language, hasLogprobs: session.wantsLogprobs)
    }

    // MARK: - Marks

    /// The recognition has come to the first mark; the last words before it follow.
    func reach(at time: Double) {
        guard let mark = marks.first, !mark.isReached else { return }
        marks[0].isReached = true
        switch mark.reason {
        case .item: if !items.isEmpty, items[0].isCommitted { sendText(of: &items[0]) }
        case .commit(let eventID):
            if turn == nil {
                messages.error(.emptyBuffer(milliseconds: 0), eventID: eventID)
            } else {
                commitTurn(at: time)
            }
        case .clear:
            turn = nil
            lastEnd = max(lastEnd, Self.milliseconds(time))
            messages.cleared()
        case .settle: if turn != nil { endTurn(at: time) }
        }
    }

    /// All text before the first mark is final.
    func finishMark(language: DetectedLanguage?) {
        guard !marks.isEmpty else { return }
        let mark = marks.removeFirst()
        if mark.reason == .item {
            guard !items.isEmpty else { return }
            var item = items.removeFirst()
            guard item.isCommitted else { return }
            sendText(of: &item)
            complete(item, language)
        } else {
            completeTurn(language)
        }
    }

    private static func milliseconds(_ seconds: Double) -> Int { Int((1000 * seconds).rounded()) }
}
