/// The way from times of the sound that is recognized to those of the recording, of which a beginning and silences may
/// have been left out.
struct OriginalTimes {
    /// Seconds left out at the start.
    let offset: Double
    /// What was kept of the rest; `nil` is all.
    let kept: KeptAudio?
    /// Seconds of the rest.
    let duration: Double

    /// The last segment's end, and the stretch that it lies in.
    private var last: (end: Double, stretch: Int) = (0, 0)

    init(offset: Double, kept: KeptAudio?, duration: Double) {
        self.offset = offset
        self.kept = kept
        self.duration = duration
    }

    /// A segment with its words. Where silences were left out, times are limited to the stretch of sound in which the
    /// middle of the word lies, and segments do not overlap.
    mutating func restored(_ segment: TranscriptSegment) -> TranscriptSegment {
        guard let kept, let first = kept.rangeIndex(at: segment.start) else { return later(segment) }
        var segment = segment
        segment.seek = Int((restored(Double(segment.seek) / 100, isEnd: false, kept) * 100).rounded())
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
        if segment.text.isEmpty { return later(segment) }
        // Clips may go back; then time may too.
        let goesBack = kept.ranges[first].lowerBound < kept.ranges[last.stretch].lowerBound
        segment.keep(behind: goesBack ? 0 : last.end)
        last = (segment.end, first)
        return later(segment)
    }

    /// A time that stands alone.
    func restored(_ seconds: Double) -> Double {
        guard let kept else { return offset == 0 ? seconds : later(seconds) }
        return later(restored(seconds, isEnd: false, kept))
    }

    private func restored(_ seconds: Double, isEnd: Bool, _ kept: KeptAudio) -> Double {
        guard let stretch = kept.rangeIndex(at: seconds, isEnd: isEnd) else { return seconds }
        return limited(kept.originalTime(seconds, in: stretch))
    }

    /// With two decimals as the references write times, and not behind the end.
    private func limited(_ time: Double) -> Double { min(TimeRounding.hundredths(time), duration) }

    /// The same behind what was left out at the start.
    private func later(_ time: Double) -> Double {
        offset == 0 ? time : ((time + offset) * 1000).rounded(.toNearestOrEven) / 1000
    }

    private func later(_ segment: TranscriptSegment) -> TranscriptSegment {
        guard offset != 0 else { return segment }
        var segment = segment
        segment.seek += Int((offset * 100).rounded())
        segment.start = later(segment.start)
        segment.end = later(segment.end)
        segment.words = segment.words?.map {
            TranscriptWord(
                word: $0.word, start: later($0.start), end: later($0.end), probability: $0.probability)
        }
        return segment
    }

    func restored(_ event: WindowEvent) -> WindowEvent {
        switch event {
        case .retried, .silence, .removedSilence: event
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            .skipped(
                start: restored(start), end: restored(end), noSpeechProb: noSpeechProb, avgLogprob: avgLogprob)
        case .skippedLeadingSilence(let start, let end):
            .skippedLeadingSilence(start: restored(start), end: restored(end))
        case .droppedHallucination(let start, let end, let text):
            .droppedHallucination(start: restored(start), end: restored(end), text: text)
        case .stoodStill(let start, let end): .stoodStill(start: restored(start), end: restored(end))
        case .guarded(let measure): .guarded(restored(measure))
        }
    }

    private func restored(_ measure: GuardMeasure) -> GuardMeasure {
        switch measure {
        case .noSpeechLeft(let start, let end): .noSpeechLeft(start: restored(start), end: restored(end))
        case .promptDropped(let start, let end, let text):
            .promptDropped(start: restored(start), end: restored(end), text: text)
        case .wentOnBehindLastWord(let time): .wentOnBehindLastWord(at: restored(time))
        case .promptCleared, .wordsLengthened, .timesClamped, .languageAsked: measure
        }
    }
}

extension TranscriptSegment {
    /// Moves what lies before `time` to it, so that times grow from word to word.
    fileprivate mutating func keep(behind time: Double) {
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
