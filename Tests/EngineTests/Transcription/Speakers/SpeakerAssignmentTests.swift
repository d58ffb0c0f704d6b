import Testing

@Suite("Speakers of words and segments")
struct SpeakerAssignmentTests {
    private static let tokenizer = Tokenizer(vocabulary: .builtIn(size: 51864))

    private static func assignment(_ turns: [(Double, Double, String)]) -> SpeakerAssignment {
        SpeakerAssignment(
            turns: turns.map { TranscriptTurn(start: $0.0, end: $0.1, speaker: $0.2) }, spelling: tokenizer)
    }

    private static func segment(_ words: [(String, Double, Double)], tokens: [Int] = []) -> TranscriptSegment {
        TranscriptSegment(
            id: 0, seek: 0, start: words[0].1, end: words[words.count - 1].2, text: words.map(\.0).joined(),
            tokens: tokens, temperature: 0, avgLogprob: -0.5, compressionRatio: 1, noSpeechProb: 0,
            words: words.map { TranscriptWord(word: $0.0, start: $0.1, end: $0.2, probability: 0.9) })
    }

    @Test(
        "a word is assigned to the speaker who talks for most of it, or else to the nearest one",
        arguments: [
            (1.0, 1.5, "A"), (3.6, 4.0, "B"), (3.0, 3.8, "A"), (3.3, 4.2, "B"), (-1, 0, "A"), (8.0, 9.0, "B"),
            (6.1, 6.2, "B"), (6.7, 6.8, "C"), (7.0, 7.0, "C"), (2.0, 2.0, "A"), (20, 21, "B"),
        ])
    func words(start: Double, end: Double, expected: String) {
        // B's second turn contains C's.
        let assignment = Self.assignment([
            (0.5, 3.5, "A"), (3.4, 6.0, "B"), (6.9, 7.1, "C"), (7.5, 12, "B"), (8.5, 8.6, "C"),
        ])
        #expect(assignment.speaker(from: start, to: end) == expected)
    }

    @Test("in overlapped speech, each speaker says one word at a time and goes on where the last one ended")
    func overlapped() {
        // B comes in while A goes on; from 1 to 3 s both talk all the time.
        let assignment = Self.assignment([(0, 3, "A"), (1, 4, "B")])
        let a = [(0.0, 0.6), (0.6, 1.2), (1.2, 1.7), (1.7, 2.4), (2.4, 3.0)]
        let b = [(1.0, 1.4), (1.4, 1.9), (1.9, 2.7), (2.7, 3.3), (3.3, 4.0)]
        let words = (a.map { ($0, "A") } + b.map { ($0, "B") }).sorted { $0.0.0 < $1.0.0 }
        #expect(assignment.speakers(of: words.map { ($0.0.0, $0.0.1) }) == words.map(\.1))
        // Without words at the same time, those of one speaker stay together.
        #expect(assignment.speakers(of: a.map { ($0.0, $0.1) }) == Array(repeating: "A", count: 5))
    }

    @Test("a short answer keeps its speaker where the other one pauses")
    func answer() {
        let assignment = Self.assignment([(0, 2.1, "A"), (2, 2.4, "B"), (2.4, 5, "A")])
        let words = [(1.0, 2.0), (2.0, 2.4), (2.4, 3.0)].map { (start: $0.0, end: $0.1) }
        #expect(assignment.speakers(of: words) == ["A", "B", "A"])
        #expect(Self.assignment([]).speakers(of: words) == [nil, nil, nil])
    }

    @Test("without any turn there is no speaker")
    func noTurns() {
        let assignment = Self.assignment([])
        #expect(assignment.speaker(from: 0, to: 1) == nil)
        let segment = Self.segment([(" Hello", 0, 1), (" there.", 1, 2)])
        #expect(assignment.parts(of: segment) == [segment])
    }

    @Test("among many turns, the search finds the same as a linear scan")
    func search() {
        var turns: [(Double, Double, String)] = []
        for index in 0..<200 {
            let number = (index * 7919) % 101
            let start = Double(index) * 1.3 + Double(number) / 200
            turns.append((start, start + Double(number % 37) / 6 + 0.1, "S\(number % 5)"))
        }
        turns.sort { $0.0 < $1.0 }
        let assignment = Self.assignment(turns)
        for step in 0..<2000 {
            let start = Double(step) * 0.137 - 2, end = start + Double(step % 11) / 10
            var shares: [String: Double] = [:]
            for turn in turns { shares[turn.2, default: 0] += max(0, min(turn.1, end) - max(turn.0, start)) }
            let most = shares.values.max() ?? 0
            let found = assignment.speaker(from: start, to: end) ?? ""
            if most > 1e-9 {
                #expect(abs((shares[found] ?? 0) - most) < 1e-9, "\(start)")
            } else {
                let nearest = turns.map { max($0.0 - end, start - $0.1) }.min() ?? 0
                #expect(
                    turns.contains { $0.2 == found && max($0.0 - end, start - $0.1) <= max(nearest, 0) + 1e-9 },
                    "\(start)")
            }
        }
    }

    @Test("a segment is divided where the speaker of its words changes, never within a word")
    func division() {
        let assignment = Self.assignment([(0, 2.2, "A"), (2.2, 3, "B"), (3, 9, "A")])
        let segment = Self.segment([
            (" Are", 0, 0.5), (" you", 0.5, 1), (" sure?", 1, 2.4), (" Yes.", 2.4, 3), (" Good.", 3.2, 4),
        ])
        let parts = assignment.parts(of: segment)
        #expect(parts.map(\.text) == [" Are you sure?", " Yes.", " Good."])
        #expect(parts.map(\.speaker) == ["A", "B", "A"])
        #expect(parts.map(\.start) == [0, 2.4, 3.2] && parts.map(\.end) == [2.4, 3, 4])
        #expect(parts.flatMap { $0.words ?? [] }.map(\.speaker) == ["A", "A", "A", "B", "A"])
        #expect(parts.map(\.text).joined() == segment.text)
        #expect(parts.allSatisfy { $0.avgLogprob == segment.avgLogprob })
    }

    @Test("tokens go with the part that contains their first byte, and timestamps with their neighbors")
    func tokens() {
        let assignment = Self.assignment([(0, 1, "A"), (1, 2, "B")])
        let start = Self.tokenizer.special.firstTimestamp
        // Each token of text is one byte.
        var segment = Self.segment([("ab", 0, 1), ("cde", 1, 2)], tokens: [start, 64, 65, 66, 67, 68, start + 100])
        segment.tokenLogprobs = [0, -1, -2, -3, -4, -5, -6]
        let parts = assignment.parts(of: segment)
        #expect(parts.map(\.tokens) == [[start, 64, 65], [66, 67, 68, start + 100]])
        #expect(parts.map(\.tokenLogprobs) == [[0, -1, -2], [-3, -4, -5, -6]])
    }

    @Test("a segment of one speaker stays whole, with or without words; one without text has no speaker")
    func whole() {
        let assignment = Self.assignment([(0, 5, "A"), (5, 6, "B")])
        var segment = Self.segment([(" Hello", 0, 1), (" there.", 1, 2)])
        segment.text = " Hello there. "
        #expect(assignment.parts(of: segment).map(\.text) == [" Hello there. "])
        segment.words = nil
        segment.end = 7
        #expect(assignment.parts(of: segment).map(\.speaker) == ["A"])
        #expect(assignment.parts(of: segment)[0].words == nil)
        segment.text = ""
        #expect(assignment.parts(of: segment) == [segment])
    }

    @Test("turns are cut to the clips, in order of their start")
    func clips() {
        let speakers = SpeakerUpdates(
            Self.assignment([(0, 10, "A"), (2, 6, "B"), (11, 12, "A")]), clips: [1..<3, 5..<8])
        let turns = speakers.transcript(Transcript(text: "", language: "en", duration: 12, segments: [])).turns ?? []
        #expect(turns.map(\.start) == [1, 2, 5, 5] && turns.map(\.end) == [3, 3, 8, 6])
        #expect(turns.map(\.speaker) == ["A", "B", "A", "B"])
    }

    @Test("parts are numbered consecutively in updates and transcript alike; volatile text passes unchanged")
    func numbers() {
        let speakers = SpeakerUpdates(Self.assignment([(0, 1, "A"), (1, 2, "B"), (2, 9, "A")]))
        var segments = [
            Self.segment([(" one", 0, 1), (" two", 1, 2)]), Self.segment([(" three", 2, 3)]),
            Self.segment([(" four", 3, 4)]),
        ]
        for index in segments.indices { segments[index].id = index }
        let transcript = speakers.transcript(
            Transcript(text: " one two three four", language: "en", duration: 9, segments: segments))
        #expect(transcript.segments.map(\.id) == [0, 1, 2, 3])
        #expect(transcript.turns?.count == 3 && transcript.text == " one two three four")
        let log = UpdateLog(), reported = speakers.updates(log.add)
        reported(.volatile(segments[0]))
        for segment in segments { reported(.final(segment)) }
        #expect(log.all == [.volatile(segments[0])] + transcript.segments.map { .final($0) })
    }
}
