import EngineTranscripts
import EngineVoices

/// Maps times of the transcribed audio to the recording, whose beginning and silences may have been removed.
struct OriginalTimes {
    /// Seconds skipped at the start.
    let offset: Double
    /// The parts kept of the rest; `nil` is all of it.
    let kept: KeptAudio?
    /// Length of the rest in seconds.
    let duration: Double

    /// End of the last segment, and the index of the kept range that contains it.
    private var last: (end: Double, stretch: Int) = (0, 0)

    init(offset: Double, kept: KeptAudio?, duration: Double) {
        self.offset = offset
        self.kept = kept
        self.duration = duration
    }

    /// Maps a segment with its words. If silences were removed, times are limited to the kept range that contains the
    /// middle of the word, and segments do not overlap.
    mutating func restored(_ segment: TranscriptSegment) -> TranscriptSegment {
        guard let kept, let first = kept.rangeIndex(at: segment.start) else { return addingOffset(segment) }
        var segment = segment
        segment.seek = segment.seek.map { Int((restored(Double($0) / 100, isEnd: false, kept) * 100).rounded()) }
        if let words = segment.words, !words.isEmpty {
            segment.words = words.map { word in
                guard let stretch = kept.rangeIndex(at: (word.start + word.end) / 2) else { return word }
                var word = word
                word.start = limited(kept.originalTime(word.start, in: stretch))
                word.end = limited(kept.originalTime(word.end, in: stretch))
                return word
            }
            segment.start = segment.words?.first?.start ?? segment.start
            segment.end = segment.words?.last?.end ?? segment.end
        } else {
            segment.start = restored(segment.start, isEnd: false, kept)
            segment.end = restored(segment.end, isEnd: true, kept)
        }
        if segment.text.isEmpty { return addingOffset(segment) }
        // Clips may go backwards, and so may their times.
        let goesBack = kept.ranges[first].lowerBound < kept.ranges[last.stretch].lowerBound
        segment.limit(from: goesBack ? 0 : last.end)
        last = (segment.end, first)
        return addingOffset(segment)
    }

    /// Maps a single time.
    func restored(_ seconds: Double) -> Double {
        guard let kept else { return offset == 0 ? seconds : addingOffset(seconds) }
        return addingOffset(restored(seconds, isEnd: false, kept))
    }

    private func restored(_ seconds: Double, isEnd: Bool, _ kept: KeptAudio) -> Double {
        guard let stretch = kept.rangeIndex(at: seconds, isEnd: isEnd) else { return seconds }
        return limited(kept.originalTime(seconds, in: stretch))
    }

    /// Rounds to two decimals, as the references do, and limits the time to the end.
    private func limited(_ time: Double) -> Double { min(TimeRounding.hundredths(time), duration) }

    /// Adds the offset, rounding to milliseconds.
    private func addingOffset(_ time: Double) -> Double {
        offset == 0 ? time : ((time + offset) * 1000).rounded(.toNearestOrEven) / 1000
    }

    private func addingOffset(_ segment: TranscriptSegment) -> TranscriptSegment {
        guard offset != 0 else { return segment }
        var segment = segment
        segment.seek = segment.seek.map { $0 + Int((offset * 100).rounded()) }
        segment.start = addingOffset(segment.start)
        segment.end = addingOffset(segment.end)
        segment.words = segment.words?.map {
            TranscriptWord(
                word: $0.word, start: addingOffset($0.start), end: addingOffset($0.end), probability: $0.probability)
        }
        return segment
    }

    func restored(_ event: WindowEvent) -> WindowEvent {
        switch event {
        case .retried, .silence, .removedSilence, .findingSpeakers, .heard, .utterance: event
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            .skipped(
                start: restored(start), end: restored(end), noSpeechProb: noSpeechProb, avgLogprob: avgLogprob)
        case .skippedLeadingSilence(let start, let end):
            .skippedLeadingSilence(start: restored(start), end: restored(end))
        case .droppedHallucination(let start, let end, let text):
            .droppedHallucination(start: restored(start), end: restored(end), text: text)
        case .noProgress(let start, let end): .noProgress(start: restored(start), end: restored(end))
        case .guarded(let measure): .guarded(restored(measure))
        }
    }

    private func restored(_ measure: GuardMeasure) -> GuardMeasure {
        switch measure {
        case .noSpeech(let start, let end): .noSpeech(start: restored(start), end: restored(end))
        case .inventionDropped(let start, let end, let text):
            .inventionDropped(start: restored(start), end: restored(end), text: text)
        case .misplacedDropped(let start, let end, let text):
            .misplacedDropped(start: restored(start), end: restored(end), text: text)
        case .promptDropped(let start, let end, let text):
            .promptDropped(start: restored(start), end: restored(end), text: text)
        case .heldBack(let start, let end, let text):
            .heldBack(start: restored(start), end: restored(end), text: text)
        case .windowShortened(let start, let end): .windowShortened(start: restored(start), end: restored(end))
        case .gapDecoded(let start, let end, let text):
            .gapDecoded(start: restored(start), end: restored(end), text: text)
        case .repetitionCut(let start, let text): .repetitionCut(start: restored(start), text: text)
        case .continuedAfterLastWord(let time): .continuedAfterLastWord(at: restored(time))
        case .promptCleared, .wordsLengthened, .timesLengthened, .pausesLeftOut, .timesClamped, .languageDetected:
            measure
        }
    }
}

extension TranscriptSegment {
    /// Moves times before `time` to it, so that times never decrease from word to word.
    fileprivate mutating func limit(from time: Double) {
        start = max(start, time)
        end = max(end, start)
        guard let old = words else { return }
        var last = start
        words = old.map {
            var word = $0
            word.start = max(word.start, last)
            word.end = max(word.end, word.start)
            last = word.end
            return word
        }
        end = max(end, last)
    }
}
