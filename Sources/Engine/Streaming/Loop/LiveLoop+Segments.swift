import EngineAudio
import EngineModels
import EngineTranscripts
import EngineVocabulary

extension LiveLoop {
    /// Makes words final.
    ///
    /// - Parameter isEnd: whether the utterance ends with them.
    mutating func commit(_ words: [LiveWord], of pass: LivePass, to position: Int, isEnd: Bool) throws {
        let words = ordered(words, to: position)
        guard let segment = segment(words[...], of: pass, to: position, isFinal: true) else { return }
        let finals = try withSpeakers(segment, isEnd: isEnd)
        finalEnd = words.last?.end ?? finalEnd
        utterance?.committed += words
        utterance?.hasFinals = true
        lastFinals = (lastFinals + words).suffix(5)
        publish(finals)
    }

    private mutating func publish(_ finals: [TranscriptSegment]) {
        guard !finals.isEmpty else { return }
        isVolatileShown = false
        reportLanguage()
        emit(.finals(finals))
    }

    /// Returns the corrected final with the next id; if speakers are identified, split where they change, with consecutive
    /// ids. None if a rule has deleted everything.
    private mutating func withSpeakers(_ segment: TranscriptSegment, isEnd: Bool) throws -> [TranscriptSegment] {
        var parts = try speakers?.parts(of: segment) ?? [segment]
        if let corrections {
            var last = lastWord
            for index in parts.indices {
                let words = parts[index].words
                parts[index] = corrections.corrected(
                    parts[index], after: last, isEnd: isEnd && index == parts.count - 1)
                last = words?.last ?? last
            }
            parts.removeAll { $0.text.isEmpty }
        }
        for index in parts.indices {
            parts[index].id = nextID
            nextID += 1
        }
        return parts
    }

    /// Makes the segments of a transcribed window final; their times count from sample `start`.
    mutating func publish(_ segments: [TranscriptSegment], from start: Int, to position: Int) throws {
        var finals: [TranscriptSegment] = []
        for var segment in segments where !segment.text.isEmpty {
            segment.start = advanceFinalEnd(to: start + Self.sample(segment.start), limit: position)
            segment.words = segment.words?.map { word in
                var word = word
                word.start = advanceFinalEnd(to: start + Self.sample(word.start), limit: position)
                word.end = advanceFinalEnd(to: start + Self.sample(word.end), limit: position)
                return word
            }
            segment.end = advanceFinalEnd(to: start + Self.sample(segment.end), limit: position)
            segment.seek = segment.seek.map { start / 160 + $0 }
            stamp(&segment, isFinal: true)
            finals += try withSpeakers(segment, isEnd: true)
            utterance?.hasFinals = true
        }
        publish(finals)
    }

    /// Replaces the volatile text, or clears it with `nil`.
    mutating func show(_ segment: TranscriptSegment?) {
        guard segment != nil || isVolatileShown else { return }
        isVolatileShown = segment != nil
        let corrected = segment.map { corrections?.corrected($0, after: lastWord, isEnd: false) ?? $0 }
        emit(.volatile(corrected?.text.isEmpty == true ? nil : corrected))
    }

    /// How many of the first `count` words may become final: a rule or a term applies to words together, which must not
    /// be separated, and the last ones may be the beginning of what a rule replaces.
    func wholeCount(of words: [LiveWord], _ count: Int) -> Int {
        guard let corrections, count > 0 else { return count }
        return corrections.correction(for: language).wholeCount(
            of: words.map(\.timed), count, after: lastWord)
    }

    /// The last final word as it was recognized.
    private var lastWord: TranscriptWord? { lastFinals.last?.timed }

    /// Returns a segment of these words, or `nil` if there are none.
    func segment(_ words: ArraySlice<LiveWord>, of pass: LivePass, to position: Int, isFinal: Bool)
        -> TranscriptSegment?
    {
        let words = ordered(Array(words), to: position)
        guard let first = words.first, let last = words.last else { return nil }
        var segment = TranscriptSegment(
            id: nextID, seek: (utterance?.window ?? 0) / 160, start: AudioChunk.seconds(of: first.start),
            end: AudioChunk.seconds(of: last.end), text: words.map(\.text).joined(), tokens: words.flatMap(\.tokens),
            temperature: pass.temperature, avgLogprob: pass.avgLogprob, compressionRatio: pass.compressionRatio,
            noSpeechProb: pass.noSpeechProb,
            words: words.map(\.timed))
        stamp(&segment, isFinal: isFinal)
        return segment
    }

    private func stamp(_ segment: inout TranscriptSegment, isFinal: Bool) {
        segment.id = nextID
        segment.isFinal = isFinal
        segment.language = language
        segment.session = session
        segment.utterance = utterance?.index ?? 0
    }

    /// Returns the words with their times clamped to be monotonic and not before the end of the last final.
    private func ordered(_ words: [LiveWord], to position: Int) -> [LiveWord] {
        var last = finalEnd
        let limit = max(position, finalEnd)
        return words.map { word in
            var word = word
            word.start = min(max(word.start, last), limit)
            word.end = min(max(word.end, word.start), limit)
            last = word.end
            return word
        }
    }

    /// Advances the end of the finals to `sample`, but not past `limit`, and returns it in seconds.
    private mutating func advanceFinalEnd(to sample: Int, limit: Int) -> Double {
        finalEnd = max(finalEnd, min(sample, limit))
        return AudioChunk.seconds(of: finalEnd)
    }

    private static func sample(_ seconds: Double) -> Int {
        let value = (seconds * second).rounded()
        return value.isFinite ? Int(min(max(value, 0), 0x1p52)) : 0
    }
}

extension LiveWord {
    fileprivate var timed: TranscriptWord {
        TranscriptWord(
            word: text, start: AudioChunk.seconds(of: start), end: AudioChunk.seconds(of: end),
            probability: probability)
    }
}
