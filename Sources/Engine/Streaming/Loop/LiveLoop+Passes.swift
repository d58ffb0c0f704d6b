import EngineAudio
import EngineModels
import EngineTranscripts

extension LiveLoop {
    /// Decodes the open window up to `position`. Words that the policy trusts become final, the rest volatile; a closing
    /// pass makes all words final.
    mutating func tick(_ position: Int, isClosing: Bool) throws {
        guard let open = utterance, position > open.firstFresh else { return }
        defer { decoded = max(decoded, position) }
        if options.policy == .utterance, isClosing {
            try transcribe(to: position)
            return
        }
        let pass =
            hasVoice(in: open.firstFresh..<position)
            ? try acceptedPass(to: position, isClosing: isClosing) : LivePass(words: [])
        guard var pass else {
            utterance?.policy.reset()
            return
        }
        let waits = !isClosing && awaitsLanguage(open, to: position)
        pass = try continued(pass, to: position, isClosing: isClosing)
        if !waits { pass = try searched(pass, to: position, isClosing: isClosing) }
        let words = newWords(in: pass.words)
        let textEnd = max(finalEnd, words.last?.end ?? 0)
        // After a finished sentence, the network may consider the whole window transcribed. Decode the rest separately.
        let endsEarly =
            !waits && hasVoice(of: options.voiceWithoutText, in: open, after: textEnd, to: position)
            && (!open.committed.isEmpty || textEnd >= open.fresh + AudioChunk.sampleRate / 2)
        var count = words.count
        if isClosing || endsEarly || waits {
            utterance?.policy.reset()
            if waits { count = 0 }
        } else {
            count = wholeCount(of: words, utterance?.policy.finalCount(of: words, head: position) ?? 0)
        }
        if count > 0 { try commit(Array(words[..<count]), of: pass, to: position, isEnd: isClosing && !endsEarly) }
        if endsEarly {
            leaveCommitted(at: max(finalEnd, open.fresh))
            return try tick(position, isClosing: isClosing)
        }
        if let attended = pass.attended { utterance?.attended = attended }
        utterance?.draft = words[count...].flatMap(\.tokens)
        let shownEnd = position - Int(options.volatileGuard * Self.second)
        let shown = words[count...].prefix { word in
            word.end <= shownEnd
                && (word.probability >= options.volatileProbability || word.end <= position - AudioChunk.sampleRate)
        }
        show(isClosing ? nil : segment(shown, of: pass, to: position, isFinal: false))
    }

    /// Starts a window at `position` without the final words before it.
    private mutating func leaveCommitted(at position: Int) {
        context.append(utterance?.committed.map(\.text) ?? [])
        utterance?.committed = []
        utterance?.draft = []
        utterance?.policy.reset()
        utterance?.window = position
        utterance?.fresh = position
    }

    /// Slides a window that is too long past committed words, or else cuts it at its quietest point.
    ///
    /// The window keeps as much final audio as would be carried over to a new utterance: words in the middle of speech
    /// need their context just as much. If this is impossible, it keeps only `keepWords` words.
    mutating func slide(at position: Int) throws {
        guard let open = utterance else { return }
        let length = AudioChunk.seconds(of: position - open.window)
        let isFull = length >= options.maxWindow || open.forcedTokens > options.maxForcedTokens
        guard length > options.trim || isFull else { return }
        let limit = isFull ? position : position - Int(options.carriedAudio * Self.second)
        if let last = open.lastRemovableWord(keeping: options.keepWords, endingBy: limit) {
            utterance?.window = open.committed[last].end
            context.append(open.committed[...last].map(\.text))
            utterance?.committed.removeFirst(last + 1)
        } else if length >= options.maxWindow {
            let from = max(finalEnd, open.firstFresh + 1, position - 5 * AudioChunk.sampleRate)
            let cut =
                audio.quietestPoint(in: from..<max(from, position)) ?? min(max(finalEnd, open.firstFresh + 1), position)
            try tick(cut, isClosing: true)
            try speakers?.settle()
            if let closed = utterance { startWindow(at: cut, after: closed) }
        }
    }

    /// Starts a window at `position` after a closed one, with as many of its last words as may be carried over.
    mutating func startWindow(at position: Int, after closed: Utterance) {
        // The language of an utterance is detected in its own audio, and words carried over would decide it.
        let isOpen =
            options.detectsEachLanguage || decoder.languageCertainty == .unclear
            || decoder.languageCertainty == .clear && decoder.spokenLanguage?.code != language
        let limit = isOpen ? 0 : Int(options.carriedAudio * Self.second)
        let words = closed.committed
        // The window may start before the first word, or between two that do not overlap.
        let first = words.indices.first { index in
            let start = index == 0 ? closed.window : words[index - 1].end
            return position - start <= limit && start <= words[index].start
        }
        let kept = first ?? words.endIndex
        context.append(words[..<kept].map(\.text))
        utterance?.draft = []
        utterance?.fresh = position
        utterance?.committed = Array(words[kept...])
        utterance?.window = kept == words.endIndex ? position : kept == 0 ? closed.window : words[kept - 1].end
    }

    /// Returns whether the detector found voice in a window. The first window of an utterance always has some.
    private func hasVoice(in range: Range<Int>) -> Bool {
        guard let open = utterance, hasDetectedVoice, range.lowerBound > open.start else { return true }
        return voiced.contains { $0.overlaps(range) }
    }

    /// Whether so much voice follows the final words that a pass may find new ones.
    func hasNewVoice(at end: Int) -> Bool {
        guard let open = utterance, hasDetectedVoice else { return true }
        return voice(from: max(finalEnd, open.firstFresh), to: end) >= options.minimumVoice
    }

    /// Whether no word may become final yet, because another language may turn out to be spoken. Once the first words of
    /// a window are final, its language stays.
    private func awaitsLanguage(_ open: Utterance, to end: Int) -> Bool {
        decoder.languageCertainty == .unclear && open.committed.isEmpty
            && voice(from: open.firstFresh, to: end) < options.languagePatience
    }

    /// Seconds of voice in a range.
    private func voice(from start: Int, to end: Int) -> Double {
        guard start < end else { return 0 }
        return AudioChunk.seconds(of: voiced.reduce(0) { $0 + $1.clamped(to: start..<end).count })
    }

    /// Returns whether the audio after the text has `seconds` of voice, so that text must be missing. One second is
    /// enough in a new utterance, but not after a word, because the end time of a number such as `5%` may be a second
    /// too early.
    private func hasVoice(of seconds: Double, in open: Utterance, after textEnd: Int, to end: Int) -> Bool {
        let start = max(textEnd, open.fresh)
        return voice(from: start, to: end) >= (textEnd > open.fresh ? seconds : min(1, seconds))
    }

    /// The request for the open window up to `position`.
    private func request(_ open: Utterance, to position: Int, isClosing: Bool) -> LiveRequest {
        var request = LiveRequest(range: open.window..<position, samples: audio.read(open.window..<position))
        request.forced = open.committed
        request.voice = voice(from: open.window, to: position)
        if let last = open.committed.last {
            request.expectsText = hasVoice(of: options.voiceBeforeText, in: open, after: last.end, to: position)
        }
        if options.usesDrafts { request.draft = open.draft }
        request.context = context.text
        request.isClosing = isClosing
        if options.policy == .align {
            request.attention = AttentionRule(
                threshold: isClosing ? options.closingFrameThreshold : options.frameThreshold,
                rewind: isClosing ? nil : options.rewindThreshold, last: open.attended)
        }
        return request
    }

    /// Returns a pass that the hallucination filter accepts, after retries if necessary; `nil` if there is none.
    private mutating func acceptedPass(to position: Int, isClosing: Bool) throws -> LivePass? {
        guard let open = utterance else { return nil }
        var request = request(open, to: position, isClosing: isClosing)
        context.isSuspended = false
        var attempts = [request]
        if !request.context.isEmpty {
            request.context = ""
            attempts.append(request)
        }
        if isClosing {
            request.draft = []
            for temperature in TextThresholds.temperatures where temperature > 0 {
                request.temperature = temperature
                attempts.append(request)
            }
        }
        var best: LivePass?
        for attempt in attempts {
            // A model without temperatures would hear the same again.
            if attempt.temperature > 0, let best, best.temperature == nil { break }
            guard let pass = try decode(attempt) else { return nil }
            switch HallucinationFilter.verdict(
                on: pass, isWhole: !open.hasFinals, filtersPhrases: options.filtersPhrases)
            {
            case .accepted:
                return pass
            case .silence:
                context.isSuspended = true
                return nil
            case .hallucinated:
                context.isSuspended = true
                if best.map({ $0.avgLogprob < pass.avgLogprob }) ?? true { best = pass }
            }
        }
        // No later pass covers this audio, and doubtful words are better than lost ones.
        return isClosing ? best : nil
    }

    /// Returns a pass continued until its text is no longer far from the newest voice, or as far as the network can
    /// continue it.
    ///
    /// After a finished sentence, the network sometimes considers the window transcribed. It would do so in every pass
    /// until the window started later, and then without the words that give the rest its context.
    private mutating func continued(_ pass: LivePass, to position: Int, isClosing: Bool) throws -> LivePass {
        var pass = pass
        while !pass.isEndless, let open = utterance, let last = pass.words.last, last.end > open.fresh,
            hasVoice(of: options.voiceBeforeText, in: open, after: last.end, to: position)
        {
            var request = request(open, to: position, isClosing: isClosing)
            request.forced += pass.words
            request.draft = []
            request.expectsText = true
            request.attention?.rewind = nil
            request.attention?.last = nil
            guard let rest = try decode(request), let end = rest.words.last?.end, end > last.end,
                HallucinationFilter.verdict(on: rest, isWhole: false, filtersPhrases: options.filtersPhrases)
                    == .accepted
            else { break }
            // It was the last word and might have been cut off; now voice and other words follow it.
            pass.words[pass.words.count - 1].isStable = true
            pass.words += rest.words
            pass.attended = rest.attended
            pass.isEndless = rest.isEndless
        }
        return pass
    }

    /// Returns the pass, or, if it has improbable words that can wait no longer, one decoded with beam search in its
    /// place, so that these words are more reliable when they become final.
    private mutating func searched(_ pass: LivePass, to position: Int, isClosing: Bool) throws -> LivePass {
        guard options.doubtfulBeams > 1, options.policy != .utterance, pass.temperature ?? 0 == 0,
            let open = utterance, let last = pass.words.last
        else { return pass }
        let isDoubtful = pass.words.contains {
            $0.probability < options.minimumProbability
                && (isClosing || $0.isStable && !open.policy.holdsBack($0, head: position))
        }
        guard isDoubtful else { return pass }
        var request = request(open, to: position, isClosing: isClosing)
        request.draft = []
        request.beams = options.doubtfulBeams
        guard let found = try decode(request), let end = found.words.last?.end,
            end >= last.end - AudioChunk.sampleRate / 2,
            HallucinationFilter.verdict(on: found, isWhole: !open.hasFinals, filtersPhrases: options.filtersPhrases)
                == .accepted
        else { return pass }
        return found
    }

    /// Decodes, or returns `nil` if the decoder failed and the next pass will decode the same audio again.
    private mutating func decode(_ request: LiveRequest) throws -> LivePass? {
        guard
            let pass = try retrying(
                isLast: request.isClosing, from: request.range.lowerBound, { try $0.decode(request) })
        else { return nil }
        noteLanguage()
        return pass
    }

    /// Runs `work`. If it fails, retries immediately if no later pass covers the same audio, and returns `nil`
    /// otherwise.
    ///
    /// - Throws: `StreamingError.decodingFailed` after several failures in a row.
    mutating func retrying<R>(isLast: Bool, from start: Int, _ work: (any LiveDecoder) throws -> R) throws -> R? {
        while true {
            do {
                let result = try work(decoder)
                failures = 0
                return result
            } catch let error as CancellationError {
                throw error
            } catch {
                failures += 1
                if failures >= Self.maxFailures {
                    throw StreamingError.decodingFailed(reason: "\(error)", from: AudioChunk.seconds(of: start))
                }
                if !isLast { return nil }
            }
        }
    }

    /// Returns the words of a pass without those that are already final, repeated or hallucinated in silence.
    private func newWords(in words: [LiveWord]) -> [LiveWord] {
        var words = words[...]
        if let open = utterance, open.committed.isEmpty {
            while let first = words.first, (first.start + first.end) / 2 < finalEnd { words.removeFirst() }
            words.removeFirst(WordDeduplication.overlap(of: Array(words), with: lastFinals, finalEnd: finalEnd))
        }
        words = WordDeduplication.removingEchoes(words)[...]
        guard hasDetectedVoice else { return Array(words) }
        return words.filter { !HallucinationFilter.isHallucinated($0, voiced: voiced) }
    }

    /// Policy `utterance`: transcribes the window like a recording of its own.
    private mutating func transcribe(to position: Int) throws {
        guard let open = utterance else { return }
        if hasVoice(in: open.window..<position) {
            let samples = audio.read(open.window..<position)
            let segments = try retrying(isLast: true, from: open.window, { try $0.transcribe(samples) }) ?? []
            noteLanguage()
            try publish(segments, from: open.window, to: position)
        }
        show(nil)
    }
}
