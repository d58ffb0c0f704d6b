import EngineBasics

/// The units of a transcript with their times: those of the words where they are known, else each segment's spread over the
/// speech in it by their length.
package struct SpokenUnits {
    /// What one speaker says until another one does.
    package struct Run {
        let speaker: String?
        package fileprivate(set) var units: [SubtitleUnit]
    }

    /// A unit whose end in the text and a pause in the speech are this close, in seconds, are taken to be the same.
    private static let nearPause = 0.8

    package let runs: [Run]

    package init(_ transcript: Transcript) {
        var segments = transcript.segments.filter { !WhiteSpace.strip($0.text).isEmpty || $0.words?.isEmpty == false }
        if segments.contains(where: { $0.speaker != nil }) {
            segments = segments.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
                .map(\.element)
        }
        let snappings = Self.snap(&segments, to: transcript.speech ?? [])
        var runs: [Run] = []
        for segment in segments {
            var units = Self.units(of: segment, snappings[segment.speaker] ?? SpeechSnapping([]))
            if units.isEmpty { continue }
            if let last = runs.last, last.speaker == segment.speaker {
                if let end = last.units.last { units[0].joinText(after: end) }
                runs[runs.count - 1].units += units
            } else {
                runs.append(Run(speaker: segment.speaker, units: units))
            }
        }
        Self.order(&runs)
        self.runs = runs
    }

    /// Snaps segments and words to the speech, each speaker's separately if it is known whose speech it is.
    ///
    /// - Returns: the speech of each speaker.
    private static func snap(
        _ segments: inout [TranscriptSegment], to speech: [TranscriptSpan]
    ) -> [String?: SpeechSnapping] {
        let speakers = Set(segments.map(\.speaker))
        guard speech.contains(where: { $0.speaker != nil }) else {
            let snapping = SpeechSnapping(speech)
            snapping.snap(&segments)
            snapWords(of: &segments, snapping)
            return Dictionary(uniqueKeysWithValues: speakers.map { ($0, snapping) })
        }
        var snappings: [String?: SpeechSnapping] = [:]
        for speaker in speakers {
            let snapping = SpeechSnapping(speech.filter { $0.speaker == speaker })
            let indices = segments.indices.filter { segments[$0].speaker == speaker }
            var own = indices.map { segments[$0] }
            snapping.snap(&own)
            snapping.snapWords(of: &own)
            for (index, segment) in zip(indices, own) { segments[index] = segment }
            snappings[speaker] = snapping
        }
        return snappings
    }

    /// Snaps the words of each turn.
    private static func snapWords(of segments: inout [TranscriptSegment], _ snapping: SpeechSnapping) {
        var start = 0
        while start < segments.count {
            var end = start + 1
            while end < segments.count, segments[end].speaker == segments[start].speaker { end += 1 }
            var turn = Array(segments[start..<end])
            snapping.snapWords(of: &turn)
            segments.replaceSubrange(start..<end, with: turn)
            start = end
        }
    }

    private static func units(of segment: TranscriptSegment, _ snapping: SpeechSnapping) -> [SubtitleUnit] {
        guard let words = segment.words, !words.isEmpty else {
            var units = SubtitleUnit.units(of: segment.text)
            spread(&units, from: segment.start, to: max(segment.start, segment.end), snapping)
            return units
        }
        var units = SubtitleUnit.units(of: words.map(\.word).joined())
        // The visible scalars of each word.
        var places: [(end: Int, count: Int)] = []
        for word in words {
            let count = word.word.unicodeScalars.count { !LineBreaking.isBlank(Character($0)) }
            places.append(((places.last?.end ?? 0) + count, count))
        }
        func time(_ scalar: Int, _ word: Int) -> Double {
            let (end, count) = places[word]
            let share = count == 0 ? 0 : Double(scalar - (end - count)) / Double(count)
            return words[word].start + (words[word].end - words[word].start) * min(max(share, 0), 1)
        }
        var word = 0
        for index in units.indices {
            let place = units[index].place
            while word < words.count - 1, places[word].end <= place.lowerBound { word += 1 }
            units[index].start = time(place.lowerBound, word)
            while word < words.count - 1, places[word].end < place.upperBound { word += 1 }
            units[index].end = time(place.upperBound, word)
        }
        return units
    }

    /// Gives units their times by their length. Pauses in the speech are put at signs if there are any near them, and
    /// never inside a unit.
    private static func spread(
        _ units: inout [SubtitleUnit], from start: Double, to end: Double, _ snapping: SpeechSnapping
    ) {
        guard let last = units.last else { return }
        var spans = snapping.spans(from: start, to: end).map {
            TranscriptSpan(start: max($0.start, start), end: min($0.end, end))
        }
        if spans.isEmpty { spans = [TranscriptSpan(start: start, end: end)] }
        // Seconds of speech before the end of each stretch, and before the end of each unit.
        var heard: [Double] = []
        for span in spans { heard.append((heard.last ?? 0) + span.end - span.start) }
        let total = heard.last ?? 0
        var said = units.map { total * Double($0.place.upperBound) / Double(last.place.upperBound) }
        anchor(&said, to: heard.dropLast(), at: units.map(\.endsClause))
        func time(_ seconds: Double, isEnd: Bool) -> Double {
            let span = heard.firstIndex { isEnd ? $0 >= seconds : $0 > seconds } ?? spans.count - 1
            return min(spans[span].end, spans[span].end - (heard[span] - seconds))
        }
        var before = 0.0
        for index in units.indices {
            let after = said[index]
            // A unit that a pause would divide is spoken where most of it is.
            let pause = heard.dropLast().first { $0 > before + 1e-6 && $0 < after - 1e-6 }
            let isLater = pause.map { after - $0 > $0 - before } ?? false
            units[index].start = isLater ? time(pause ?? before, isEnd: false) : time(before, isEnd: false)
            units[index].end = pause != nil && !isLater ? time(pause ?? after, isEnd: true) : time(after, isEnd: true)
            before = after
        }
    }

    /// Moves the ends of units that a sign closes to the nearest pauses, and those between them in proportion.
    private static func anchor(_ said: inout [Double], to pauses: ArraySlice<Double>, at isClosed: [Bool]) {
        var anchors: [(unit: Int, time: Double)] = []
        for pause in pauses {
            let near = said.indices.dropLast().filter { isClosed[$0] && abs(said[$0] - pause) <= nearPause }
            guard let unit = near.min(by: { abs(said[$0] - pause) < abs(said[$1] - pause) }),
                unit > anchors.last?.unit ?? -1
            else { continue }
            anchors.append((unit, pause))
        }
        guard !anchors.isEmpty, let end = said.last else { return }
        anchors.append((said.count - 1, end))
        let old = said
        var (from, time, first) = (0.0, 0.0, 0)
        for anchor in anchors {
            let length = old[anchor.unit] - from
            for unit in first...anchor.unit {
                let share = length > 0 ? (old[unit] - from) / length : 1
                said[unit] = time + share * (anchor.time - time)
            }
            (from, time, first) = (old[anchor.unit], anchor.time, anchor.unit + 1)
        }
    }

    /// Makes times finite, none of a speaker before the one before it.
    private static func order(_ runs: inout [Run]) {
        var ends: [String?: Double] = [:]
        for run in runs.indices {
            var last = ends[runs[run].speaker] ?? 0
            for index in runs[run].units.indices {
                let (start, end) = (runs[run].units[index].start, runs[run].units[index].end)
                runs[run].units[index].start = max(last, start.isFinite ? start : last)
                last = max(runs[run].units[index].start, end.isFinite ? end : last)
                runs[run].units[index].end = last
            }
            ends[runs[run].speaker] = last
        }
    }
}
