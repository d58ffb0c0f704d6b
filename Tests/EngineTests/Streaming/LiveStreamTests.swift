import Testing

/// The loop with a decoder that hears each sample once.
@Suite("Live streams")
struct LiveStreamTests {
    /// Names the seconds that it hears: a word begins with each second and ends with the next. Now and then it fails.
    private final class Counter: LiveDecoder, LiveStream {
        private(set) var heard: [Range<Int>] = []
        private(set) var endings: [Int] = []
        private var calls = 0
        private var open: LiveWord?
        /// It fails with each call that is a multiple of this.
        let failing: Int

        init(failing: Int = .max) { self.failing = failing }

        var stream: (any LiveStream)? { self }
        func startUtterance() { open = nil }
        func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { [] }

        struct Failure: Error {}

        func hear(_ samples: [Float], from position: Int, isLast: Bool) throws -> LivePass {
            calls += 1
            let range = position..<(position + samples.count)
            if !range.isEmpty { heard.append(range) }
            if calls % failing == 0 { throw Failure() }
            var pass = LivePass(words: [])
            for second in (range.lowerBound / 16_000)..<((range.upperBound + 15_999) / 16_000)
            where range.contains(second * 16_000) {
                if var last = open {
                    last.isStable = true
                    last.end = second * 16_000
                    pass.words.append(last)
                }
                open = LiveWord(text: " \(second)", start: second * 16_000, end: second * 16_000 + 1)
            }
            if isLast { endings.append(range.upperBound) }
            if var last = open {
                last.isStable = isLast
                pass.words.append(last)
                if isLast { open = nil }
            }
            return pass
        }
    }

    private func run(
        _ counter: Counter, _ count: Int, block: Int, usesDetector: Bool = false,
        policy: StreamingOptions.Policy = .align, _ samples: [Float]? = nil
    ) throws -> LiveBench {
        var options = StreamingOptions()
        options.policy = policy
        let bench = LiveBench(
            counter, options: options, usesDetector: usesDetector, start: SessionStart(id: SessionID("s")))
        let samples = samples ?? [Float](repeating: 0.1, count: count)
        for first in stride(from: 0, to: count, by: block) {
            try bench.feed(Array(samples[first..<min(first + block, count)]), backlog: count - first)
        }
        try bench.loop.loop.close()
        return bench
    }

    @Test(
        "every sample is heard once, in order, and nothing is lost at the end",
        arguments: StreamingOptions.Policy.allCases)
    func once(policy: StreamingOptions.Policy) throws {
        for count in [1, 319, 16_001, 100_003] {
            let runs = try [320, 1, 7_777].filter { count < 20_000 || $0 > 1 }.map { block in
                let counter = Counter()
                let bench = try run(counter, count, block: block, policy: policy)
                #expect(counter.heard.first?.lowerBound == 0 && counter.heard.last?.upperBound == count)
                #expect(zip(counter.heard, counter.heard.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
                #expect(counter.endings == [count] && bench.violations.isEmpty, "\(bench.violations)")
                #expect(bench.text == (0..<((count + 15_999) / 16_000)).map { " \($0)" }.joined())
                #expect(bench.state.volatile == nil)
                return bench
            }
            #expect(runs.allSatisfy { $0.outputs == runs[0].outputs })
            #expect(policy != .utterance || runs[0].finals.count == 1)
        }
    }

    @Test("a failure loses nothing; several in a row end the session")
    func failures() throws {
        let counter = Counter(failing: 7)
        let bench = try run(counter, 100_000, block: 320)
        #expect(zip(counter.heard, counter.heard.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(bench.violations.isEmpty && counter.heard.last?.upperBound == 100_000)
        #expect(throws: StreamingError.self) { try run(Counter(failing: 1), 100_000, block: 320) }
    }

    @Test("silence between utterances is not heard")
    func silence() throws {
        let speech = (0..<32_000).map { $0 % 100 < 50 ? Float(0.3) : -0.3 }
        let silence = [Float](repeating: 0, count: 64_000), samples = silence + speech + silence + speech + silence
        let counter = Counter()
        let bench = try run(counter, samples.count, block: 320, usesDetector: true, samples)
        let heard = counter.heard.reduce(0) { $0 + $1.count }
        #expect(counter.endings.count == 2 && heard > 64_000 && heard < 100_000, "\(heard)")
        #expect(bench.violations.isEmpty && Set(bench.finals.map(\.utterance)) == [0, 1])
    }

    @Test("very long utterances become final before their end even with the policy utterance")
    func endless() throws {
        let bench = try run(Counter(), 100 * 16_000, block: 16_000, policy: .utterance)
        #expect(bench.finals.count >= 3 && bench.finals.allSatisfy { $0.end - $0.start <= 29 })
        #expect(bench.text == (0..<100).map { " \($0)" }.joined())
    }
}
