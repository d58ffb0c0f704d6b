import Testing

/// Tests each rule of live transcripts with many random runs of synthetic speech.
@Suite("Live rules")
struct LiveRulesTests {
    static let cases = 1_000

    @Test(
        "every word becomes final once and in order, regardless of block sizes",
        arguments: [StreamingOptions.Policy.agree, .align])
    func exactness(policy: StreamingOptions.Policy) throws {
        var finals = 0
        for seed in 0..<UInt64(Self.cases) {
            let speech = PlantedSpeech(seed: seed, seconds: seed % 10 == 0 ? 30...90 : 5...20)
            let samples = speech.samples
            var random = SplitMix64(seed: seed &* 77)
            let usesDetector = seed % 3 == 0
            let runs = try (0..<2).map { run in
                let decoder = PlantedDecoder(speech)
                decoder.endsEarly = seed % 2 == 0
                let bench = LiveBench(
                    decoder, options: .test(policy), usesDetector: usesDetector,
                    start: SessionStart(id: SessionID("s")))
                if run == 0 {
                    try bench.feed(samples)
                } else {
                    try bench.feed(samples[...], random: &random)
                }
                try bench.loop.loop.close()
                return bench
            }
            for run in runs {
                #expect(run.text == speech.text, "seed \(seed)")
                #expect(run.violations.isEmpty && run.unstableFinals.isEmpty, "seed \(seed): \(run.violations)")
                #expect(run.state.volatile == nil)
            }
            #expect(runs[0].outputs == runs[1].outputs, "seed \(seed)")
            finals += runs[0].finals.count
        }
        print("live rules 1, 2, 3, 8 (\(policy)): \(Self.cases) cases, \(finals) finals")
    }

    @Test(
        "an hour of speech loses and doubles no word, even late in a long session",
        arguments: [(StreamingOptions.Policy.agree, 0), (.align, 0), (.align, 30 * 24 * 3_600)])
    func hour(policy: StreamingOptions.Policy, startSeconds: Int) throws {
        let speech = PlantedSpeech(seed: 11, seconds: 3_600...3_600)
        let start = startSeconds * AudioChunk.sampleRate
        let decoder = PlantedDecoder(speech)
        decoder.offset = -start
        let firstID = startSeconds == 0 ? 0 : 1 << 40
        let bench = LiveBench(
            decoder, options: .test(policy), usesDetector: true,
            start: SessionStart(id: SessionID("hour"), clock: start, nextID: firstID))
        var random = SplitMix64(seed: 1)
        for second in stride(from: 0, to: speech.count, by: 10 * AudioChunk.sampleRate) {
            let block = speech.samples(in: second..<min(second + 10 * AudioChunk.sampleRate, speech.count))
            try bench.feed(block[...], random: &random)
        }
        try bench.loop.loop.close()
        #expect(bench.text == speech.text && bench.violations.isEmpty && bench.unstableFinals.isEmpty)
        #expect(bench.state.finalized.map(\.id) == Array(firstID..<(firstID + bench.state.finalized.count)))
        // Times are as exact after a month as at the start.
        let words = bench.state.finalized.flatMap { $0.words ?? [] }
        #expect(words.count == speech.words.count)
        for (word, spoken) in zip(words, speech.words) {
            #expect(abs(word.start - Double(startSeconds) - Double(spoken.start) / 16_000) < 0.2, "\(spoken.text)")
        }
        print("live, an hour (\(policy), from \(startSeconds) s on): \(words.count) words")
    }

    @Test("repeated equal words are all kept", arguments: [StreamingOptions.Policy.agree, .align])
    func identity(policy: StreamingOptions.Policy) throws {
        for seed in 0..<UInt64(Self.cases) {
            let speech = PlantedSpeech(seed: seed, seconds: 5...25, sameText: "no")
            let samples = speech.samples
            var random = SplitMix64(seed: seed)
            let bench = LiveBench(PlantedDecoder(speech), options: .test(policy), usesDetector: seed % 2 == 0)
            // Pause between words: the utterance is closed and another one starts.
            var from = 0
            for gap in speech.gaps where Int.random(in: 0..<8, using: &random) == 0 {
                try bench.feed(samples[from..<gap], random: &random)
                try bench.loop.loop.close(isLoss: Bool.random(using: &random))
                from = gap
            }
            try bench.feed(samples[from...], random: &random)
            try bench.loop.loop.close()
            #expect(bench.text == speech.text && bench.violations.isEmpty, "seed \(seed)")
            #expect(bench.state.finalized.map(\.id) == Array(0..<bench.state.finalized.count))
        }
        print("live rule 5 (\(policy)): \(Self.cases) cases")
    }

    @Test("time never goes back across pauses, lost devices and restarts", arguments: StreamingOptions.Policy.allCases)
    func time(policy: StreamingOptions.Policy) throws {
        var restarts = 0
        for seed in 0..<UInt64(Self.cases) {
            let speech = PlantedSpeech(seed: seed, seconds: 5...20)
            let samples = speech.samples
            var random = SplitMix64(seed: seed)
            let decoder = PlantedDecoder(speech)
            var bench = LiveBench(decoder, options: .test(policy), usesDetector: seed % 2 == 0)
            var end = 0.0
            var nextID = 0
            var from = 0
            var clock = 0
            while from < samples.count {
                let to = min(samples.count, from + Int.random(in: 1...80_000, using: &random))
                try bench.feed(samples[from..<to], random: &random)
                from = to
                #expect(bench.loop.loop.head >= clock)
                clock = bench.loop.loop.head
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try bench.loop.loop.close()
                case 1:
                    try bench.loop.loop.close(isLoss: true)
                    // Lost audio takes no session time, so what follows comes earlier on the session clock.
                    let lost = min(samples.count - from, Int.random(in: 0...8_000, using: &random))
                    from += lost
                    decoder.offset += lost
                case 2:
                    // Killed: the finals and the clock are stored.
                    #expect(bench.violations.isEmpty, "seed \(seed): \(bench.violations)")
                    nextID = bench.state.nextID
                    end = bench.state.end
                    let stored = max(Int((end * 16_000).rounded()), bench.loop.loop.head - 4_000, 0)
                    decoder.offset = from - stored
                    clock = stored
                    restarts += 1
                    bench = LiveBench(
                        decoder, options: .test(policy), usesDetector: seed % 2 == 0,
                        start: SessionStart(clock: stored, nextID: nextID, context: "before"))
                    #expect(bench.state.end >= end)
                default: break
                }
            }
            try bench.loop.loop.close()
            #expect(bench.violations.isEmpty, "seed \(seed): \(bench.violations)")
        }
        print("live rule 4 (\(policy)): \(Self.cases) cases, \(restarts) restarts")
    }

    @Test("a stop at any sample makes everything before it final", arguments: [StreamingOptions.Policy.agree, .align])
    func stopAnywhere(policy: StreamingOptions.Policy) throws {
        var stops = 0
        for seed in [UInt64(3), 4] {
            let speech = PlantedSpeech(seed: seed, seconds: 5...6)
            let samples = speech.samples
            for count in stride(from: 0, through: samples.count, by: 160) {
                let decoder = PlantedDecoder(speech)
                let bench = LiveBench(decoder, options: .test(policy))
                try bench.feed(Array(samples[..<count]))
                let before = bench.finals
                let expected = decoder.words(in: 0..<count, from: 0, isClosing: true).map(\.text).joined()
                try bench.loop.loop.close()
                #expect(bench.text == expected, "stop at \(count)")
                #expect(bench.finals.starts(with: before) && bench.violations.isEmpty && bench.state.volatile == nil)
                let outputs = bench.outputs.count
                try bench.loop.loop.close()
                #expect(bench.outputs.count == outputs)

                let cancelled = LiveBench(PlantedDecoder(speech), options: .test(policy))
                try cancelled.feed(Array(samples[..<count]))
                cancelled.loop.loop.cancel()
                #expect(cancelled.finals == before && cancelled.state.volatile == nil)
                stops += 1
            }
        }
        #expect(stops >= 500)
        print("live rule 6 (\(policy)): \(stops) stops, \(stops) cancellations")
    }

    @Test("every sample of detected speech is decoded by exactly one closing pass")
    func coverage() throws {
        for seed in 0..<UInt64(Self.cases) {
            let speech = PlantedSpeech(seed: seed, seconds: seed % 10 == 0 ? 40...90 : 5...20)
            let samples = speech.samples
            var random = SplitMix64(seed: seed)
            var detector = EnergyDetector()
            var expected: [Range<Int>] = []
            var start = 0
            for event in detector.feed(samples) + detector.finish() {
                if case .opened(let at) = event { start = at }
                if case .closed(let at) = event { expected.append(start..<at) }
            }
            let recorder = RegionDecoder()
            let bench = LiveBench(recorder, options: .test(.utterance), usesDetector: true)
            try bench.feed(samples[...], random: &random)
            try bench.loop.loop.close()
            // Long utterances are cut into regions, which must add up to them in order.
            var regions = recorder.regions[...]
            for utterance in expected {
                var sum = 0
                while sum < utterance.count, let region = regions.popFirst() { sum += region }
                #expect(sum == utterance.count, "seed \(seed)")
            }
            #expect(regions.isEmpty, "seed \(seed)")
            #expect(recorder.regions.allSatisfy { $0 <= 30 * 16_000 })
        }
        print("live rule 8, coverage: \(Self.cases) cases")
    }

    @Test("slow passes delay words but do not lose them", arguments: [StreamingOptions.Policy.agree, .align])
    func backPressure(policy: StreamingOptions.Policy) throws {
        var longest = 0.0
        for seed in 0..<UInt64(Self.cases) {
            var random = SplitMix64(seed: seed)
            let speech = PlantedSpeech(seed: seed, seconds: 8...20)
            let costs: [Double] = [0.01, 0.3, 0.8, 2, 10]
            let cost = costs.randomElement(using: &random) ?? 1
            var options = StreamingOptions.test(policy)
            options.isDeterministic = false
            let lag = try play(speech, options: options, cost: cost, usesDetector: seed % 2 == 0, random: &random)
            longest = max(longest, lag.maximum)
        }
        print("live rule 9 (\(policy)): \(Self.cases) cases, longest lag \(longest) s")
    }

    @Test("after five minutes of slow passes, the session catches up", arguments: [0.8, 2, 10])
    func longLag(cost: Double) throws {
        var random = SplitMix64(seed: 1)
        var options = StreamingOptions.test(.agree)
        options.isDeterministic = false
        // Passes are fast again in the second half.
        let speech = PlantedSpeech(seed: 9, seconds: 600...600)
        let lag = try play(
            speech, options: options, cost: cost, fastFrom: 300, usesDetector: false, random: &random)
        #expect(lag.maximum > cost / 2 && lag.last < 3)
    }

    @Test("a failed pass loses no audio, and repeated failures end the session")
    func failures() throws {
        for seed in 0..<UInt64(Self.cases) {
            var random = SplitMix64(seed: seed)
            let speech = PlantedSpeech(seed: seed, seconds: 5...15)
            let decoder = PlantedDecoder(speech)
            var failed = 0
            decoder.onPass = { _ in
                // Never three times in a row.
                if failed < 2, Int.random(in: 0..<3, using: &random) == 0 {
                    failed += 1
                    throw PlantedDecoder.Failure()
                }
                failed = 0
            }
            let bench = LiveBench(decoder, options: .test(seed % 2 == 0 ? .agree : .align))
            try bench.feed(speech.samples)
            try bench.loop.loop.close()
            #expect(bench.text == speech.text && bench.violations.isEmpty, "seed \(seed)")
        }
        let speech = PlantedSpeech(seed: 1, seconds: 5...6)
        let decoder = PlantedDecoder(speech)
        decoder.onPass = { request in
            if let request, request.range.upperBound > 32_000 { throw PlantedDecoder.Failure() }
        }
        let bench = LiveBench(decoder, options: .test(.agree))
        #expect(throws: StreamingError.decodingFailed(reason: "Failure()", from: 0)) {
            try bench.feed(speech.samples)
        }
        #expect(bench.loop.loop.unrecognized.start == 0)
        #expect(bench.loop.loop.unrecognized.samples.count >= 48_000)
        print("live rule 9, failures: \(Self.cases) cases")
    }

    /// Plays speech in real time while passes take simulated time.
    private func play(
        _ speech: PlantedSpeech, options: StreamingOptions, cost: Double, fastFrom: Double = .infinity,
        usesDetector: Bool, random: inout SplitMix64
    ) throws -> (maximum: Double, last: Double) {
        let samples = speech.samples
        var now = 0.0
        let decoder = PlantedDecoder(speech)
        decoder.onPass = { _ in now += now < fastFrom ? cost : 0.05 }
        let bench = LiveBench(decoder, options: options, usesDetector: usesDetector)
        var played = 0
        var maximum = 0.0, last = 0.0
        while played < samples.count {
            let spoken = min(samples.count, Int(now * 16_000))
            guard spoken > played else {
                now += 0.02
                continue
            }
            let block = samples[played..<min(spoken, played + Int.random(in: 320...3_200, using: &random))]
            played += block.count
            try bench.feed(Array(block), backlog: spoken - played)
            last = Double(min(samples.count, Int(now * 16_000)) - played) / 16_000
            maximum = max(maximum, last)
        }
        try bench.loop.loop.close()
        #expect(bench.text == speech.text && bench.violations.isEmpty && bench.unstableFinals.isEmpty)
        return (maximum, last)
    }
}

/// Records the lengths of transcribed windows.
final class RegionDecoder: LiveDecoder {
    private(set) var regions: [Int] = []

    func decode(_ request: LiveRequest) throws -> LivePass { LivePass(words: []) }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        regions.append(samples.count)
        return []
    }
}
