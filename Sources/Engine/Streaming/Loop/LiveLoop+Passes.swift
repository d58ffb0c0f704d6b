extension LiveLoop {
    /// Decodes the open window up to `place`: what the policy trusts becomes final, the rest volatile. When closing,
    /// all of it is final.
    mutating func tick(_ place: Int, isClosing: Bool) throws {
        guard let open = utterance, place > open.window else { return }
        defer { decoded = max(decoded, place) }
        if options.policy == .utterance, isClosing {
            try transcribe(to: place)
            return
        }
        let pass = hasVoice(in: open.window..<place) ? try listen(to: place, isClosing: isClosing) : LivePass(words: [])
        guard let pass else {
            utterance?.policy.reset()
            if isClosing { startAnew(at: place) }
            return
        }
        let words = unheard(pass.words, to: place)
        var count = words.count
        if isClosing {
            utterance?.policy.reset()
        } else {
            count = utterance?.policy.finalCount(of: words, head: place) ?? 0
        }
        if count > 0 { commit(Array(words[..<count]), of: pass, to: place) }
        if let attended = pass.attended { utterance?.attended = attended }
        utterance?.draft = words[count...].flatMap(\.tokens)
        let seen = place - Int(options.volatileGuard * Self.second)
        let rest = words[count...].prefix { word in
            word.end <= seen
                && (word.probability >= options.volatileProbability || word.end <= place - AudioChunk.sampleRate)
        }
        show(isClosing ? nil : segment(rest, of: pass, to: place, isFinal: false))
        if isClosing { startAnew(at: place) }
    }

    /// Moves the window on when it is too long: behind committed words, or by a cut in the quietest place.
    mutating func slide(at place: Int) throws {
        guard let open = utterance else { return }
        let length = Double(place - open.window) / Self.second
        guard length > options.trim || open.forcedTokens > options.maxForcedTokens else { return }
        if let last = open.slide(keeping: options.keepWords) {
            utterance?.window = open.committed[last].end
            context.append(open.committed[...last].map(\.text))
            utterance?.committed.removeFirst(last + 1)
        } else if length >= options.maxWindow {
            let from = max(finalEnd, open.window + 1, place - 5 * AudioChunk.sampleRate)
            let cut = sound.quietest(in: from..<max(from, place)) ?? min(max(finalEnd, open.window + 1), place)
            try tick(cut, isClosing: true)
        }
    }

    /// The window ends here, the utterance goes on.
    private mutating func startAnew(at place: Int) {
        forgetCommitted()
        utterance?.draft = []
        utterance?.window = place
    }

    mutating func forgetCommitted() {
        context.append(utterance?.committed.map(\.text) ?? [])
        utterance?.committed = []
    }

    /// A detector's utterance begins with a voice; a window that begins later may hold none.
    private func hasVoice(in range: Range<Int>) -> Bool {
        guard let open = utterance, !voiced.isEmpty, range.lowerBound > open.start else { return true }
        return voiced.contains { $0.overlaps(range) }
    }

    /// A pass that the guards let through, decoded again where they do not; `nil` where it has nothing to say.
    private mutating func listen(to place: Int, isClosing: Bool) throws -> LivePass? {
        guard let open = utterance else { return nil }
        var request = LiveRequest(range: open.window..<place, samples: sound.read(open.window..<place))
        request.forced = open.committed
        if options.usesDrafts { request.draft = open.draft }
        request.context = context.text
        request.isClosing = isClosing
        if options.policy == .align {
            request.attention = AttentionRule(
                threshold: isClosing ? options.closingFrameThreshold : options.frameThreshold,
                rewind: isClosing ? nil : options.rewindThreshold, last: open.attended)
        }
        context.isSuspended = false
        var attempts = [request]
        if !request.context.isEmpty {
            request.context = ""
            attempts.append(request)
        }
        if isClosing {
            request.draft = []
            for temperature in [0.2, 0.4, 0.6, 0.8, 1] {
                request.temperature = temperature
                attempts.append(request)
            }
        }
        var best: LivePass?
        for attempt in attempts {
            guard let pass = try decode(attempt) else { return nil }
            switch LiveGuards.verdict(
                on: pass, isWhole: !open.hasFinals && open.committed.isEmpty, filtersPhrases: options.filtersPhrases)
            {
            case .accepted:
                return pass
            case .silence:
                context.isSuspended = true
                return nil
            case .invented:
                context.isSuspended = true
                if best.map({ $0.avgLogprob < pass.avgLogprob }) ?? true { best = pass }
            }
        }
        // Doubtful words are better than lost ones, once nothing can be heard again.
        return isClosing ? best : nil
    }

    /// - Returns: `nil` where the decoder failed and the sound will be decoded again with the next pass.
    private mutating func decode(_ request: LiveRequest) throws -> LivePass? {
        guard
            let pass = try persist(
                isLast: request.isClosing, from: request.range.lowerBound, { try $0.decode(request) })
        else { return nil }
        if let detected = pass.detected {
            language = detected.code
            tell(.language(detected))
        }
        return pass
    }

    /// Tries again what fails, at once where no later pass hears the same sound.
    private mutating func persist<R>(isLast: Bool, from start: Int, _ work: (any LiveDecoder) throws -> R) throws -> R?
    {
        while true {
            do {
                let result = try work(decoder)
                failures = 0
                return result
            } catch let error as CancellationError {
                throw error
            } catch {
                failures += 1
                if failures >= Self.mostFailures {
                    throw StreamingError.decodingFailed(reason: "\(error)", from: Double(start) / Self.second)
                }
                if !isLast { return nil }
            }
        }
    }

    /// The words of a pass without those that are final already or that stand in silence.
    private func unheard(_ words: [LiveWord], to place: Int) -> [LiveWord] {
        var words = words[...]
        if let open = utterance, open.committed.isEmpty {
            while let first = words.first, (first.start + first.end) / 2 < finalEnd { words.removeFirst() }
            words.removeFirst(OverlapRule.repeated(in: Array(words), after: lastFinals, finalEnd: finalEnd))
        }
        words = LiveGuards.withoutEchoes(words)[...]
        guard !voiced.isEmpty else { return Array(words) }
        return words.filter { !LiveGuards.isInvented($0, voiced: voiced) }
    }

    /// Policy `utterance`: the window as a recording of its own.
    private mutating func transcribe(to place: Int) throws {
        guard let open = utterance else { return }
        if hasVoice(in: open.window..<place) {
            let samples = sound.read(open.window..<place)
            let found = try persist(isLast: true, from: open.window, { try $0.transcribe(samples) }) ?? []
            publish(found, from: open.window, to: place)
        }
        show(nil)
        startAnew(at: place)
    }
}
