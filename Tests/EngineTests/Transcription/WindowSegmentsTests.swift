import Testing

@Suite("Window segments")
struct WindowSegmentsTests {
    private static let tokenizer = VocabularyFixture.english
    private static let time = tokenizer.special.firstTimestamp
    private let text = tokenizer.encode(" text")

    /// Splits a window of 10 s that starts at 100 s; times are seconds from its start.
    private func split(_ tokens: [Int]) -> (times: [[Double]], advance: Int) {
        let span = WindowSpan(seek: 10_000, frames: 1000, contentFrames: 60_000)
        let split = WindowSegments(tokens: tokens, span: span, tokenizer: Self.tokenizer)
        return (split.segments.map { [$0.timing.start - 100, $0.timing.end - 100] }, split.advance)
    }

    @Test("without timestamps a segment lasts as long as its window")
    func noTimes() {
        #expect(split([]) == ([[0, 10]], 1000))
        #expect(split(text) == ([[0, 10]], 1000))
        #expect(split([Self.time] + text) == ([[0, 10]], 1000))
    }

    @Test("segments end at pairs of timestamps, and the rest after the last pair is decoded again")
    func pairs() {
        let (first, second) = (Self.time + 100, Self.time + 200)
        #expect(split([Self.time] + text + [first, first] + text) == ([[0, 2]], 200))
        #expect(split([Self.time] + text + [first, first] + text + [second]) == ([[0, 2], [2, 4]], 1000))
        #expect(split([Self.time] + text + [first, first] + text + [second, second]) == ([[0, 2], [2, 4]], 400))
    }

    @Test("ids that break the timestamp rules give no negative lengths and no times before the window")
    func brokenTimes() {
        let (early, late) = (Self.time + 50, Self.time + 100)
        #expect(split([late] + text + [early, early] + text).times == [[2, 2]])
        #expect(split(text + [early, early] + text + [late]).times == [[0, 1], [1, 2]])
    }

    @Test(
        "a segment without length or text is blank",
        arguments: [("", 1.0, true), (" \u{1F}", 1, true), (" a", 0, true), (" a", 1, false)])
    func blank(text: String, end: Double, expected: Bool) {
        let timing = SegmentTiming(start: 0, end: end, textTokenCount: 1)
        #expect(WindowSegment(timing: timing, text: text, tokens: [1]).isBlank == expected)
    }
}

private func == (a: (times: [[Double]], advance: Int), b: ([[Double]], Int)) -> Bool {
    a.times == b.0 && a.advance == b.1
}
