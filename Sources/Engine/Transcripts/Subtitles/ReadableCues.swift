import EngineBasics

/// A cue before it is written: its lines, and the times of what they contain.
package struct ReadableCue: Hashable, Sendable {
    /// A word, or a character of a script without blanks.
    package struct Part: Hashable, Sendable {
        /// With a leading blank unless it starts a line.
        package let text: String
        package let start: Double
        package let end: Double
    }

    package fileprivate(set) var start: Double
    package fileprivate(set) var end: Double
    package let speaker: String?
    package let lines: [[Part]]
    fileprivate let characters: Int
}

/// Divides transcripts into subtitles that are easy to read: sentences and clauses in balanced lines, shown from the start
/// of the speech to its end and as long as reading takes.
package struct ReadableCues {
    /// The shortest time between the starts of two cues of speakers who talk at the same time.
    private static let leastShown = 0.3

    let options: SubtitleOptions

    package init(_ options: SubtitleOptions) { self.options = options }

    /// - Parameter indent: the columns that the name of a speaker takes in the first line.
    package func cues(of transcript: Transcript, indent: (String) -> Int) -> [ReadableCue] {
        if options.keepsSegments { return keptCues(of: transcript) }
        let runs = SpokenUnits(transcript).runs
        let language = options.language ?? transcript.language
        let guideline = SubtitleGuideline(options, language: language, isWide: Self.isWide(runs))
        var cues: [ReadableCue] = []
        for (index, run) in runs.enumerated() {
            let division = CueDivision(
                run.units, guideline: guideline, leadingWords: LeadingWords.of(language),
                indent: run.speaker.map(indent) ?? 0, clipStarts: options.clipStarts,
                limit: index + 1 < runs.count ? runs[index + 1].units[0].start : .infinity)
            for cue in division.cues {
                cues.append(
                    ReadableCue(
                        start: run.units[cue.lowerBound].start, end: run.units[cue.upperBound - 1].end,
                        speaker: run.speaker, lines: division.lines(of: cue).map { Self.parts(run.units[$0]) },
                        characters: division.characters(of: cue)))
            }
        }
        Self.setTimes(of: &cues, guideline)
        return cues
    }

    /// A cue for each segment; a word with a line break before it starts a new line.
    private func keptCues(of transcript: Transcript) -> [ReadableCue] {
        let guideline = SubtitleGuideline(options, language: options.language ?? transcript.language, isWide: false)
        var cues = transcript.segments.map { segment in
            var lines: [[ReadableCue.Part]] = [[]]
            let whole = TranscriptWord(word: segment.text, start: segment.start, end: segment.end, probability: 0)
            for word in segment.words ?? [whole] {
                let text = WhiteSpace.strip(word.word), blank = word.word.prefix(while: \.isWhitespace)
                if blank.contains(where: \.isNewline), lines.last?.isEmpty == false { lines.append([]) }
                let isFirst = lines.last?.isEmpty ?? true
                lines[lines.count - 1].append(
                    ReadableCue.Part(
                        text: (isFirst || blank.isEmpty ? "" : " ") + text, start: word.start, end: word.end))
            }
            return ReadableCue(
                start: segment.start, end: segment.end, speaker: segment.speaker, lines: lines,
                characters: segment.text.count)
        }
        Self.setTimes(of: &cues, guideline)
        return cues
    }

    private static func parts(_ units: ArraySlice<SubtitleUnit>) -> [ReadableCue.Part] {
        units.enumerated().map { index, unit in
            ReadableCue.Part(
                text: (index > 0 && unit.hasBlank ? " " : "") + unit.text, start: unit.start, end: unit.end)
        }
    }

    /// Whether most of the text is in East Asian wide characters.
    private static func isWide(_ runs: [SpokenUnits.Run]) -> Bool {
        var (columns, characters) = (0, 0)
        for unit in runs.lazy.flatMap(\.units) {
            columns += unit.columns
            characters += unit.text.count
        }
        return columns * 2 > characters * 3
    }

    /// Shows each cue long enough to be read, if the next one leaves room, and none at the same time as another.
    private static func setTimes(of cues: inout [ReadableCue], _ guideline: SubtitleGuideline) {
        cues = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
        for index in cues.indices {
            let (start, spoken) = (cues[index].start, cues[index].end)
            let reading = Double(cues[index].characters) / guideline.charactersPerSecond
            var end = max(spoken, min(start + max(guideline.shortest, reading), spoken + guideline.lingering))
            end = min(end, start + guideline.longest)
            if index + 1 < cues.count {
                let next = cues[index + 1].start
                let latest = guideline.touches && next - spoken < guideline.gap ? next : next - guideline.gap
                if end > latest || next - end < guideline.closedGap {
                    end = min(latest, start + guideline.longest)
                }
                if end < start + leastShown {
                    let earliest = start + leastShown + (guideline.touches ? 0 : guideline.gap)
                    cues[index + 1].start = max(next, earliest)
                    end = guideline.touches ? cues[index + 1].start : start + leastShown
                }
            }
            cues[index].end = max(end, start + leastShown)
        }
    }
}
