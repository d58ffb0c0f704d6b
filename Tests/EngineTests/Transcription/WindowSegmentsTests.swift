import Testing
import WhisperEngine

@Suite("Segments of a window")
struct WindowSegmentsTests {
    private static let tokenizer = VocabularyFixture.english
    private static let time = tokenizer.special.firstTimestamp
    private let text = tokenizer.encode(" text")

    /// Of a window of 10 s that starts at 100 s, with times in seconds from there.
    private func cut(_ tokens: [Int]) -> (times: [[Double]], advance: Int) {
        let span = WindowSpan(seek: 10_000, frames: 1000, contentFrames: 60_000)
        let cut = WindowSegments(tokens: tokens, span: span, tokenizer: Self.tokenizer)
        return (cut.segments.map { [$0.timing.start - 100, $0.timing.end - 100] }, cut.advance)
    }

    @Test("last as long as the window where no time is given")
    func noTimes() {
        #expect(cut([]) == ([[0, 10]], 1000))
        #expect(cut(text) == ([[0, 10]], 1000))
        #expect(cut([Self.time] + text) == ([[0, 10]], 1000))
    }

    @Test("end at pairs of times, and what follows the last pair is decoded again")
    func pairs() {
        let (first, second) = (Self.time + 100, Self.time + 200)
        #expect(cut([Self.time] + text + [first, first] + text) == ([[0, 2]], 200))
        #expect(cut([Self.time] + text + [first, first] + text + [second]) == ([[0, 2], [2, 4]], 1000))
        #expect(cut([Self.time] + text + [first, first] + text + [second, second]) == ([[0, 2], [2, 4]], 400))
    }

    @Test("are never of negative length, nor before the window, when ids break the rules of time")
    func brokenTimes() {
        let (early, late) = (Self.time + 50, Self.time + 100)
        #expect(cut([late] + text + [early, early] + text).times == [[2, 2]])
        #expect(cut(text + [early, early] + text + [late]).times == [[0, 1], [1, 2]])
    }

    @Test(
        "are blank without length or text",
        arguments: [("", 1.0, true), (" \u{1F}", 1, true), (" a", 0, true), (" a", 1, false)])
    func blank(text: String, end: Double, expected: Bool) {
        let timing = SegmentTiming(start: 0, end: end, textTokenCount: 1)
        #expect(WindowSegment(timing: timing, text: text, tokens: [1]).isBlank == expected)
    }
}

private func == (a: (times: [[Double]], advance: Int), b: ([[Double]], Int)) -> Bool {
    a.times == b.0 && a.advance == b.1
}
