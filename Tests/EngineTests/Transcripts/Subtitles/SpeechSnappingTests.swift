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

    private struct Meeting: Sendable {
        let speech: [ClosedRange<Double>]
        var time = 3.0
        let starts: [Double]
        let ends: [Double]
    }

    private static let meetings = [
        // The end of the first one, or the start of the second, is beyond the second.
        Meeting(speech: [0.1...3.4, 4...6], starts: [0.1, 4], ends: [3.4, 6]),
        Meeting(speech: [0.1...2.2, 2.6...6], starts: [0.1, 2.6], ends: [2.2, 6]),
        // A more exact time, and speech without a pause near it.
        Meeting(speech: [0.1...3.4, 4...6], time: 3.02, starts: [0.1, 3.02], ends: [3.02, 6]),
        Meeting(speech: [0.1...1, 1.4...4.6, 5...6], starts: [0.1, 3], ends: [3, 6]),
    ]

    @Test("segments that meet on a whole second meet at the pause near it", arguments: meetings.indices)
    func meet(index: Int) {
        let meeting = Self.meetings[index], time = meeting.time
        var segments = [WriterFixture.segment(" a", from: 0, to: time), WriterFixture.segment(" b", from: time, to: 6)]
        SpeechSnapping(Self.speech(meeting.speech)).snap(&segments)
        #expect(segments.map(\.start) == meeting.starts && segments.map(\.end) == meeting.ends)
    }

    @Test("words that end with their window keep to it where speech goes on in the next one")
    func windows() {
        let times = [(0.2, 0.9), (0.9, 1.4)], later = [(1.8, 2.1), (2.1, 2.9)]
        var words = (times + later).map { TranscriptWord(word: " a", start: $0.0, end: $0.1, probability: 1) }
        let snapping = SpeechSnapping(Self.speech([0.1...3]))
        var (first, second) = (Array(words[..<2]), Array(words[2...]))
        snapping.snap(&first, in: 0...1.6)
        snapping.snap(&second, in: 1.6...4)
        #expect(first.map(\.start) == [0.1, 0.9] && first.map(\.end) == [0.9, 1.6])
        #expect(second.map(\.start) == [1.6, 2.1] && second.map(\.end) == [2.1, 3])
        // What follows is the same as for all words at once.
        (words[1].end, words[2].start) = (1.6, 1.6)
        snapping.snap(&words)
        #expect(words == first + second)
    }

    @Test("the speech of each channel is its speaker's")
    func channels() {
        var segments = [
            WriterFixture.segment(" I hear you.", from: 1, to: 4), WriterFixture.segment(" Good.", from: 3, to: 6),
        ]
        (segments[0].speaker, segments[1].speaker) = ("Anna", "Ben")
        var transcript = WriterFixture.transcript(of: segments)
        transcript.speech = [
            TranscriptSpan(start: 0.5, end: 3.5, speaker: "Anna"), TranscriptSpan(start: 3.25, end: 5, speaker: "Ben"),
        ]
        let cues = SubtitleShaper().cues(of: transcript)
        #expect(cues.map(\.start.milliseconds) == [500, 3250])
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

    private struct Instants: Sendable {
        var speech: [ClosedRange<Double>] = [1...3, 6...8]
        let times: [(start: Double, end: Double)]
        /// When the second and third word begin, and when the third ends, if they share a time.
        var shared: [Double] = []

        var words: [TranscriptWord] {
            times.map { TranscriptWord(word: " abc", start: $0.start, end: $0.end, probability: 1) }
        }
    }

    private static let instants = [
        // In the pause after the word, in the middle of it, in the one before, and after the last speech.
        Instants(times: [(1, 1.4), (1.4, 3), (5.9, 5.9), (6, 7), (7, 8)], shared: [1.4, 2.2, 3]),
        Instants(times: [(1, 1.4), (1.4, 3), (4.5, 4.52), (6, 7), (7, 8)], shared: [1.4, 2.2, 3]),
        Instants(speech: [1...1.4, 6...8], times: [(1, 1.4), (4.5, 4.5), (6, 8)], shared: [6, 7, 8]),
        Instants(times: [(6, 6.4), (6.4, 8), (9.9, 9.9)], shared: [6.4, 7.2, 8]),
    ]

    @Test("words without a length in a pause share the time of the word beside them", arguments: instants.indices)
    func share(index: Int) {
        let (shared, before) = (Self.instants[index].shared, Self.instants[index].words)
        var words = before
        SpeechSnapping(Self.speech(Self.instants[index].speech)).snap(&words)
        func rounded(_ time: Double) -> Double { (time * 1000).rounded() / 1000 }
        #expect(words[1...2].map { rounded($0.start) } == Array(shared[..<2]))
        #expect(words[1...2].map { rounded($0.end) } == Array(shared[1...]))
        #expect(words[0] == before[0] && words[3...] == before[3...])
    }

    private static let instantsThatStay = [
        // No word beside them is long enough, or near enough; in speech; without any speech.
        Instants(speech: [1...1.2, 6...6.2], times: [(1, 1.2), (3.5, 3.5), (6, 6.2)]),
        Instants(speech: [1...3], times: [(1, 3), (8.5, 8.5)]),
        Instants(speech: [1...3], times: [(1, 2), (2, 2), (2, 3)]), Instants(speech: [], times: [(1, 3), (4, 4)]),
    ]

    @Test("words without a length stay if no word has time for them", arguments: instantsThatStay.indices)
    func stay(index: Int) {
        var words = Self.instantsThatStay[index].words
        SpeechSnapping(Self.speech(Self.instantsThatStay[index].speech)).snap(&words)
        #expect(words == Self.instantsThatStay[index].words)
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
