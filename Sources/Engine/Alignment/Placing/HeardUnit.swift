import EngineTranscripts
import EngineVocabulary

/// A word that was heard, or a character of a script without blanks, from where its speech begins to where it ends.
struct HeardUnit: Hashable, Sendable {
    /// With the blank before it.
    let text: String
    let letters: [Character]
    let spokenLength: Int
    var start: Double
    var end: Double

    /// Seconds between words from which on they may belong to different sentences.
    private static let pause = 0.3

    /// Whether there is a pause before a word.
    func follows(_ other: HeardUnit) -> Bool { start - other.end >= Self.pause }

    static func units(of transcript: Transcript) -> [HeardUnit] {
        let units = SpokenUnits(transcript).runs.flatMap(\.units).compactMap { unit -> HeardUnit? in
            let letters = NormalizedText.plainLetters(unit.text)
            if letters.isEmpty { return nil }
            return HeardUnit(
                text: (unit.hasBlank ? " " : "") + unit.text, letters: letters,
                spokenLength: SpokenLength.of(unit.text, letters: letters), start: unit.start, end: unit.end)
        }
        return transcript.speech.map { withoutInstants(units, $0) } ?? units
    }

    /// The longest time, in seconds, of words for which the model found none.
    private static let instant = 0.05
    /// How far, in seconds, such words are from the speech to which they belong.
    private static let reach = 5.0
    /// Seconds that a letter takes, when someone speaks fast.
    private static let secondsPerLetter = 0.06

    /// Gives words that are an instant in silence a part of the time of the word before or after it, if that is long enough
    /// for all: the model sometimes puts the last words of a sentence at the end of the pause that follows, and the word
    /// before then has the rest of the speech.
    private static func withoutInstants(_ units: [HeardUnit], _ speech: [TranscriptSpan]) -> [HeardUnit] {
        var next = 0
        let isLost = units.map { unit in
            while next < speech.count, speech[next].end <= unit.start { next += 1 }
            return unit.end - unit.start <= instant && (next == speech.count || speech[next].start >= unit.end)
        }
        var units = units
        var first = 0
        while first < units.count {
            guard isLost[first] else {
                first += 1
                continue
            }
            let end = isLost[first...].firstIndex(of: false) ?? units.count
            func seconds(_ run: Range<Int>) -> Double {
                let side = units[run.lowerBound == first ? run.upperBound - 1 : run.lowerBound]
                let gap = max(units[first].start - side.end, side.start - units[end - 1].end)
                let length = units[run].reduce(0) { $0 + $1.spokenLength }
                return gap <= reach ? (side.end - side.start) / Double(length) : 0
            }
            let runs = [first - 1..<end, first..<end + 1].filter { $0.lowerBound >= 0 && $0.upperBound <= units.count }
            if let run = runs.max(by: { seconds($0) < seconds($1) }), seconds(run) >= secondsPerLetter {
                let each = seconds(run)
                var time = units[run.lowerBound == first ? run.upperBound - 1 : run.lowerBound].start
                for index in run {
                    units[index].start = time
                    time += each * Double(units[index].spokenLength)
                    units[index].end = time
                }
            }
            first = end
        }
        return units
    }
}
