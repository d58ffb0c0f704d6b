public import EngineTranscripts

/// A text with the times at which a recording says it.
public struct TextAlignment: Hashable, Sendable {
    /// Words of the text that are not said.
    public struct Omission: Hashable, Sendable {
        public var text: String
        /// The passage of the text, from 0.
        public var passage: Int

        public init(text: String, passage: Int) {
            self.text = text
            self.passage = passage
        }
    }

    /// Words that are said but are not in the text.
    public struct Addition: Hashable, Sendable {
        public var text: String
        /// In seconds of the recording.
        public var start: Double
        public var end: Double
        public var wordCount: Int
    }

    /// A segment for each passage of the text, with its words. Passages of which nothing is said are there as well
    /// (`TranscriptSegment.isSpoken`); a file with times leaves them out, unless they are cues with times of their own.
    public var transcript: Transcript
    /// In the order of the text, notes and names of speakers left out.
    public var omissions: [Omission]
    /// In the order of the recording.
    public var additions: [Addition]
    /// The number of words in the text, or of characters in scripts without blanks, notes and names of speakers left out.
    public var wordCount: Int
    /// How many of them are said.
    public var spokenCount: Int
}

/// Why a text cannot be aligned with a recording.
public enum AlignmentError: Error, Hashable, Sendable {
    /// Nothing is said in the recording.
    case noSpeech
    /// So few words were found that the text must be another one, or in another language.
    case otherText(found: Int, of: Int)
}

extension TextAlignment {
    init(_ script: AlignmentScript, _ placing: UnitPlacing, heard transcript: Transcript) {
        let units = placing.units
        self.init(
            transcript: transcript, omissions: [], additions: Self.additions(placing),
            wordCount: units.count { !$0.isOptional },
            spokenCount: units.indices.count { !units[$0].isOptional && placing.places[$0] != nil })
        var segments: [TranscriptSegment] = []
        var rest = units.indices[...]
        for (number, passage) in script.passages.enumerated() {
            let range = rest.prefix { units[$0].passage == number }
            rest = rest[range.endIndex...]
            segments.append(Self.segment(number, passage, range, placing))
            omissions += Self.omissions(range, placing)
        }
        if script.areCues { CueTimes.keep(&segments, script.passages) }
        self.transcript.segments = segments
        self.transcript.text = segments.map(\.text).joined()
    }

    private static func segment(
        _ number: Int, _ passage: AlignmentScript.Passage, _ range: Range<Int>, _ placing: UnitPlacing
    ) -> TranscriptSegment {
        let spoken = range.filter { placing.places[$0] != nil }
        let words = range.map { index in
            let unit = placing.units[index]
            if let place = placing.places[index] {
                var word = TranscriptWord(
                    word: unit.text, start: TimeRounding.hundredths(place.start),
                    end: TimeRounding.hundredths(place.end),
                    probability: place.probability, speaker: passage.speaker)
                word.isSpoken = true
                return word
            }
            let time = Self.time(of: index, in: range, placing)
            var word = TranscriptWord(
                word: unit.text, start: time, end: time, probability: 0, speaker: passage.speaker)
            // Signs are where the words are.
            word.isSpoken = unit.letters.isEmpty && !spoken.isEmpty
            return word
        }
        let times = words.filter { $0.isSpoken == true }
        var segment = TranscriptSegment(
            id: number, start: times.first?.start ?? words.first?.start ?? 0,
            end: times.map(\.end).max() ?? words.first?.start ?? 0, text: words.map(\.word).joined(), tokens: [],
            avgLogprob: 0,
            words: words)
        segment.speaker = passage.speaker
        return segment
    }

    /// Where a word that is not said would be: after those of its sentence, else before them. Signs without a sentence are
    /// with the words of their passage.
    private static func time(of index: Int, in range: Range<Int>, _ placing: UnitPlacing) -> Double {
        let unit = placing.units[index]
        let before = placing.places[..<index].lastIndex { $0 != nil }
        let after = placing.places[index...].firstIndex { $0 != nil }
        let ending = before.flatMap { placing.places[$0]?.end }, beginning = after.flatMap { placing.places[$0]?.start }
        func belongs(_ other: Int?) -> Bool { other.map { placing.units[$0].sentence == unit.sentence } ?? false }
        func isNear(_ other: Int?) -> Bool { unit.letters.isEmpty && (other.map(range.contains) ?? false) }
        let isAfter = belongs(before) || !belongs(after) && (isNear(before) || !isNear(after))
        return TimeRounding.hundredths((isAfter ? ending ?? beginning : beginning) ?? 0)
    }

    private static func omissions(_ range: Range<Int>, _ placing: UnitPlacing) -> [Omission] {
        var omissions: [Omission] = []
        var last = -1
        for index in range where placing.places[index] == nil {
            let unit = placing.units[index]
            if unit.isOptional {
                if last == index - 1, unit.letters.isEmpty { last = index }
                continue
            }
            if last >= 0, last == index - 1 {
                omissions[omissions.count - 1].text += unit.text
            } else {
                omissions.append(Omission(text: String(unit.text.drop(while: \.isWhitespace)), passage: unit.passage))
            }
            last = index
        }
        return omissions
    }

    private static func additions(_ placing: UnitPlacing) -> [Addition] {
        /// Words further apart are listed by themselves, in seconds.
        let pause = 1.0
        var additions: [Addition] = []
        var last = -1
        for (index, unit) in placing.heard.enumerated() where !placing.isInText[index] {
            if last == index - 1, let end = additions.last?.end, unit.start - end < pause {
                let place = additions.count - 1
                additions[place].text += unit.text
                additions[place].end = unit.end
                additions[place].wordCount += 1
            } else {
                additions.append(
                    Addition(
                        text: String(unit.text.drop(while: \.isWhitespace)), start: unit.start, end: unit.end,
                        wordCount: 1))
            }
            last = index
        }
        return additions
    }
}
