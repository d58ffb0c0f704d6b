import Testing

@Suite("Cues begin and end with speech")
struct SpeechSnappingTests {
    private static func speech(_ times: [ClosedRange<Double>]) -> [TranscriptSpan] {
        times.map { TranscriptSpan(start: $0.lowerBound, end: $0.upperBound) }
    }

    @Test(
        "segments move to the speech in them, by a second at most",
        arguments: [
            // The pause before and after is left out.
            ([1.0...3.0], 0.2, 4.5, 1.0, 3.0),
            // What was cut off is added.
            ([1.0...3.0], 1.6, 2.5, 1.0, 3.0), ([0.1...5.0], 1.6, 3.5, 1.6, 3.5),
            // A stretch that only grazes the segment belongs to its neighbor.
            ([0.0...1.1, 1.5...3.0, 3.9...6.0], 1.0, 4.0, 1.5, 3.0),
            // Nothing to move to.
            ([8.0...9.0], 1.0, 4.0, 1.0, 4.0),
        ])
    func segments(speech: [ClosedRange<Double>], start: Double, end: Double, newStart: Double, newEnd: Double) {
        var segments = [WriterFixture.segment(" a", from: start, to: end)]
        SpeechSnapping(Self.speech(speech)).snap(&segments)
        #expect(segments[0].start == newStart && segments[0].end == newEnd)
    }

    @Test("segments that share a stretch stay where they meet")
    func neighbors() {
        var segments = [
            WriterFixture.segment(" a", from: 0.5, to: 2), WriterFixture.segment(" b", from: 2, to: 3.4),
        ]
        SpeechSnapping(Self.speech([1...4])).snap(&segments)
        #expect(segments.map(\.start) == [1, 2] && segments.map(\.end) == [2, 4])
    }

    @Test("the first and last words of a stretch move to its ends, the others stay")
    func words() {
        let times = [(0.2, 0.9), (0.9, 1.4), (1.4, 2.4), (3.6, 4.0), (4.0, 4.3), (4.3, 4.5)]
        var words = times.map { TranscriptWord(word: " a", start: $0.0, end: $0.1, probability: 1) }
        SpeechSnapping(Self.speech([0.5...2, 3...5])).snap(&words)
        #expect(words.map(\.start) == [0.5, 0.9, 1.4, 3, 4.0, 4.3])
        #expect(words.map(\.end) == [0.9, 1.4, 2, 4.0, 4.3, 5])
    }

    @Test("no gap stays between words where the detector heard no pause")
    func gaps() {
        var words = [(1.0, 2.0), (3.0, 4.0)].map { TranscriptWord(word: " a", start: $0.0, end: $0.1, probability: 1) }
        SpeechSnapping(Self.speech([1...4])).snap(&words)
        #expect(words.map(\.start) == [1, 2.25] && words.map(\.end) == [2.25, 4])
    }

    @Test("a sentence without word times is spread over the speech in it, with its sign at the pause")
    func spread() {
        let text = " Press one now, please, or wait for someone to answer your call."
        var transcript = WriterFixture.transcript(of: [WriterFixture.segment(text, from: 0, to: 9)])
        transcript.speech = Self.speech([1...2.6, 5...8])
        let cues = SubtitleShaper().cues(of: transcript)
        #expect(cues.map(\.text) == ["Press one now, please,", "or wait for someone to answer your call."])
        #expect(cues.map(\.start.milliseconds) == [1000, 5000])
        #expect(cues.map(\.end.milliseconds) == [2600, 8000])
    }
}
