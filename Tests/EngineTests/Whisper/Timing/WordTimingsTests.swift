import TestSupport
import Testing

@Suite("Words of a window")
struct WordTimingsTests {
    struct Word: Decodable {
        let word: String
        let tokens: [Int]?
        let start: Double
        let end: Double
        let probability: Double

        var timing: WordTiming {
            WordTiming(word: word, tokens: tokens ?? [], start: start, end: end, probability: probability)
        }
    }

    struct MergeFile: Decodable {
        let cases: [MergeCase]
    }

    struct MergeCase: Decodable {
        let prepended: String
        let appended: String
        let before: [Word]
        let after: [Word]
    }

    struct File: Decodable {
        let cases: [Case]
    }

    struct Case: Decodable {
        struct Segment: Decodable {
            let seek: Int
            let start: Double
            let end: Double
            let tokens: [Int]
        }

        struct Result: Decodable {
            let start: Double
            let end: Double
            let words: [Word]
        }

        let segments: [Segment]
        let alignment: [Word]
        let lastSpeechTimestamp: Double
        let result: [Result]

        enum CodingKeys: String, CodingKey {
            case segments, alignment, result
            case lastSpeechTimestamp = "last_speech_timestamp"
        }
    }

    private static let punctuation = PunctuationMerging(
        prepended: TranscriptionOptions.reference.whisper.prependPunctuations,
        appended: TranscriptionOptions.reference.whisper.appendPunctuations)

    @Test(
        "punctuation is merged as in the reference",
        arguments: try Fixtures.json("timing/merge-punctuations.json", as: MergeFile.self).cases)
    func merging(_ example: MergeCase) {
        var words = example.before.map(\.timing)
        PunctuationMerging(prepended: example.prepended, appended: example.appended).merge(&words)
        #expect(words == example.after.map(\.timing))
    }

    @Test(
        "words are assigned to segments as in the reference",
        arguments: try Fixtures.json("timing/word-timestamps.json", as: File.self).cases)
    func golden(_ example: Case) throws {
        let endOfText = SpecialTokens(vocabularySize: 51_864).endOfText
        var segments = example.segments.map { segment in
            SegmentTiming(
                start: segment.start, end: segment.end, textTokenCount: segment.tokens.count { $0 < endOfText })
        }
        WordTimings(example.alignment.map(\.timing), merging: Self.punctuation).assign(
            to: &segments, timeOffset: Double(try #require(example.segments.first).seek) / 100,
            lastSpeech: example.lastSpeechTimestamp)
        #expect(segments.map(\.start) == example.result.map(\.start))
        #expect(segments.map(\.end) == example.result.map(\.end))
        for (segment, expected) in zip(segments, example.result) {
            #expect(segment.words.map { TranscribedWord($0) } == expected.words.map { TranscribedWord($0.timing) })
        }
    }

    /// A word without its ids, which the results do not contain.
    struct TranscribedWord: Equatable {
        let word: String
        let times: [Double]

        init(_ timing: WordTiming) {
            word = timing.word
            times = [timing.start, timing.end, timing.probability]
        }
    }

    @Test("the median duration is at most 0.7 s and ignores words of zero length")
    func medians() {
        func median(_ durations: [Double]) -> Double {
            let words = durations.map { WordTiming(word: " a", tokens: [1], start: 1, end: 1 + $0, probability: 1) }
            return WordTimings(words, merging: Self.punctuation).medianDuration
        }
        #expect(median([]) == 0)
        #expect(median([0, 0]) == 0)
        #expect(median([0, 0.25, 0, 0.5]) == 0.375)
        #expect(median([0.25, 0.5, 0.125]) == 0.25)
        #expect(median([3, 4]) == 0.7)
    }
}

@Suite("Punctuation marks")
struct PunctuationMarksTests {
    private let marks = PunctuationMarks("\"'.。,，!！?？:：”)]}、")

    @Test("each mark, adjacent marks and the empty text are contained", arguments: ["", "\"", "、", "?？:", ")]}"])
    func inside(text: String) {
        #expect(marks.contains(text))
    }

    @Test(
        "other texts are not contained",
        arguments: ["a", ".,", "(", " ", ".\u{301}", "\u{FF0C}\u{FF0C}", "'.。,，!！?？:：”)]}、."])
    func outside(text: String) {
        #expect(!marks.contains(text))
    }
}
