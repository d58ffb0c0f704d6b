import EngineTranscripts

/// Drops words that look hallucinated and lie between silences; openai-whisper's `hallucination_silence_threshold`.
struct HallucinationRule: Hashable, Sendable {
    /// Minimum seconds of silence around a suspicious segment for it to be dropped.
    let threshold: Double

    /// What to do with a window.
    enum Verdict: Hashable, Sendable {
        case keep
        /// The window starts with silence: drop all of it and decode again from this frame on.
        case decodeAgain(seek: Int)
        /// Keep only the first segments and continue at this frame.
        case keepFirst(Int, seek: Int)
    }

    /// The start of the next window if the last word ends at `end`: there if silence follows, else after the window.
    func seek(afterLastWordAt end: Double, of span: WindowSpan) -> Int {
        span.fullEnd - end > threshold ? TimeRounding.frame(at: end) : span.seek + span.frames
    }

    /// - Parameters:
    ///   - segments: of the window, with their words.
    ///   - lastSpeech: end of the last word before the window.
    func verdict(on segments: [SegmentTiming], span: WindowSpan, lastSpeech: Double) -> Verdict {
        if let first = segments.first(where: { !$0.words.isEmpty }), first.isAnomalous {
            let gap = first.start - span.start
            let skipped = TimeRounding.frame(at: gap)
            // With a gap of less than half a frame the same window would be decoded forever.
            if gap > threshold, skipped > 0 { return .decodeAgain(seek: span.seek + skipped) }
        }
        var lastEnd = lastSpeech
        for (index, segment) in segments.enumerated() where !segment.words.isEmpty {
            if segment.isAnomalous {
                let next = segments[(index + 1)...].first { !$0.words.isEmpty }
                if isSilentBefore(segment, lastEnd: lastEnd, span: span)
                    && isSilentAfter(segment, next: next, span: span)
                {
                    let isNearEnd = span.contentDuration - segment.end < threshold
                    let resume = TimeRounding.frame(at: max(span.start + 1, segment.start))
                    return .keepFirst(index, seek: isNearEnd ? span.contentFrames : resume)
                }
            }
            lastEnd = segment.end
        }
        return .keep
    }

    private func isSilentBefore(_ segment: SegmentTiming, lastEnd: Double, span: WindowSpan) -> Bool {
        segment.start - lastEnd > threshold || segment.start < threshold || segment.start - span.start < 2
    }

    private func isSilentAfter(_ segment: SegmentTiming, next: SegmentTiming?, span: WindowSpan) -> Bool {
        let nextStart = next?.words.first?.start ?? span.start + span.duration
        return nextStart - segment.end > threshold || next?.isAnomalous ?? false || span.fullEnd - segment.end < 2
    }
}
