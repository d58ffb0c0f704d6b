/// Moves the times of segments and words to where the detector heard speech begin and end.
///
/// Whisper often starts a segment in the pause before it, and its word times cut off the first and last word of a sentence,
/// because cross-attention peaks after the onset. Inside a stretch of speech only gaps are closed: there the words
/// are more exact than the detector.
package struct SpeechSnapping {
    /// Times move outwards by at most this many seconds.
    private static let reach = 1.0
    /// How much of a gap between the times of two words belongs to the first one: the onset of the second is missing more
    /// often.
    private static let tail = 0.25
    /// A stretch that reaches only so far into a segment, and as far out of it, belongs to its neighbor.
    private static let graze = 0.2
    /// How much more of a stretch is in the segment that it belongs to than in the other one.
    private static let mostly = 1.5

    /// In order and disjoint.
    private let speech: [TranscriptSpan]

    package init(_ speech: [TranscriptSpan]) { self.speech = speech }

    /// The stretches of speech that overlap a time.
    func spans(from start: Double, to end: Double) -> ArraySlice<TranscriptSpan> {
        let first = index { $0.end > start }
        let last = index { $0.start >= end }
        return first < last ? speech[first..<last] : []
    }

    /// The index of the first stretch for which a condition holds, which then holds for all that follow.
    private func index(where isReached: (TranscriptSpan) -> Bool) -> Int {
        var (low, high) = (0, speech.count)
        while low < high {
            let middle = (low + high) / 2
            if isReached(speech[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Moves the times of segments without words.
    package func snap(_ segments: inout [TranscriptSegment]) {
        moveMeetings(of: &segments)
        var last = 0.0
        for index in segments.indices {
            let (start, end) = (segments[index].start, segments[index].end)
            let inside = spans(from: start, to: end)
            defer { last = max(last, segments[index].end) }
            guard segments[index].words == nil, var first = inside.first, var final = inside.last else { continue }
            if inside.count > 1, first.end < start + Self.graze, first.start < start - Self.graze {
                first = inside[inside.startIndex + 1]
            }
            if inside.count > 1, final.start > end - Self.graze, final.end > end + Self.graze {
                final = inside[inside.endIndex - 2]
            }
            if first.start > start {
                segments[index].start = first.start
            } else if start - first.start <= Self.reach {
                segments[index].start = max(min(last, start), first.start)
            }
            let next = index + 1 < segments.count ? segments[index + 1].start : .infinity
            if final.end < end || final.end - end <= Self.reach {
                segments[index].end = max(min(final.end, max(next, end)), segments[index].start)
            }
        }
    }

    /// Whisper often rounds times to whole seconds. Where two segments meet on one, inside a stretch of speech that is mostly
    /// in one of them, the rest of the stretch is that segment's, too.
    private func moveMeetings(of segments: inout [TranscriptSegment]) {
        for (index, next) in zip(segments.indices, segments.indices.dropFirst()) {
            let (start, time, end) = (segments[index].start, segments[index].end, segments[next].end)
            guard segments[index].words == nil, segments[next].words == nil, time == time.rounded(),
                segments[next].start == time, segments[next].speaker == segments[index].speaker,
                let span = spans(from: time, to: time).first
            else { continue }
            let (before, after) = (time - max(span.start, start), min(span.end, end) - time)
            var moved = time
            if after <= Self.reach, before > Self.mostly * after, !spans(from: span.end, to: end).isEmpty {
                moved = span.end
            } else if before <= Self.reach, after > Self.mostly * before, !spans(from: start, to: span.start).isEmpty {
                moved = span.start
            }
            (segments[index].end, segments[next].start) = (moved, moved)
        }
    }

    /// Moves the times of the first and last words of each stretch, and of words outside of any.
    ///
    /// - Parameters:
    ///   - words: of one speaker, in order.
    ///   - window: the seconds of the recording in which there are no other words; a stretch may go on before and after.
    package func snap(_ words: inout [TranscriptWord], in window: ClosedRange<Double> = 0...Double.infinity) {
        var groups: [(span: Int, words: Range<Int>)] = []
        var last = 0
        for index in words.indices {
            guard let span = self.span(of: words[index], from: last) else { continue }
            last = span
            if let group = groups.last, group.span == span, group.words.upperBound == index {
                groups[groups.count - 1].words = group.words.lowerBound..<index + 1
            } else {
                groups.append((span, index..<index + 1))
            }
        }
        for group in groups {
            let span = speech[group.span]
            let (first, final) = (group.words.lowerBound, group.words.upperBound - 1)
            let (start, end) = (words[first].start, words[final].end)
            for index in group.words {
                words[index].start = min(max(words[index].start, span.start), span.end)
                words[index].end = min(max(words[index].end, span.start), span.end)
            }
            let earliest = max(span.start, min(window.lowerBound, words[first].start))
            let latest = min(span.end, max(window.upperBound, words[final].end))
            if start - earliest <= Self.reach { words[first].start = earliest }
            if latest - end <= Self.reach { words[final].end = latest }
            // The detector heard no pause.
            for (index, next) in zip(group.words, group.words.dropFirst()) {
                let gap = words[next].start - words[index].end
                guard gap > 0 else { continue }
                words[index].end += Self.tail * gap
                words[next].start = words[index].end
            }
        }
        if !speech.isEmpty { placeInstants(&words) }
    }

    /// Snaps the words of consecutive segments together, as a sentence may continue in the next one.
    package func snapWords(of segments: inout [TranscriptSegment], in window: ClosedRange<Double> = 0...Double.infinity)
    {
        var words = segments.flatMap { $0.words ?? [] }
        snap(&words, in: window)
        var rest = words[...]
        for index in segments.indices {
            guard let count = segments[index].words?.count else { continue }
            segments[index].words = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    /// The stretch in which most of a word lies, or the nearest one; not before `first`.
    private func span(of word: TranscriptWord, from first: Int) -> Int? {
        let near = index { $0.end > word.start - Self.reach }
        var best: (index: Int, overlap: Double)?
        for index in max(near, first)..<max(near, first, speech.count) {
            if speech[index].start > word.end + Self.reach { break }
            // Negative outside.
            let overlap = min(word.end, speech[index].end) - max(word.start, speech[index].start)
            if overlap >= -Self.reach, overlap > best?.overlap ?? -.infinity { best = (index, overlap) }
        }
        return best?.index
    }
}
