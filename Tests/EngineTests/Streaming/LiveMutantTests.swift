import Testing

/// Tests of the test bench: it detects mutants that break the rules.
@Suite("Live mutants")
struct LiveMutantTests {
    static let seeds: Range<UInt64> = 0..<200

    /// A deliberate mistake.
    enum Mutant: String, CaseIterable {
        case noGuard, noGuardOnePass, blockTicks, unclampedTimes, stopCommitsVolatile
        case stopCommitsVolatileThenDecodes, slideWithoutAnchor
    }

    @Test("the bench detects each mutant", arguments: Mutant.allCases)
    func caught(mutant: Mutant) throws {
        let wrong = try Self.seeds.first { try Self.isWrong(seed: $0, mutant: mutant) }
        #expect(wrong != nil)
    }

    @Test("the bench reports nothing without a mutant")
    func sound() throws {
        let wrong = try Self.seeds.filter { try Self.isWrong(seed: $0, mutant: nil) }
        #expect(wrong.isEmpty)
    }

    /// Returns whether a run with the mutant breaks a rule.
    private static func isWrong(seed: UInt64, mutant: Mutant?) throws -> Bool {
        let speech = PlantedSpeech(seed: seed, seconds: 5...90)
        let samples = speech.samples
        var options = StreamingOptions.test(.agree)
        // Passes must be close together for a missing guard to matter.
        options.step = 0.5
        if mutant == .noGuard || mutant == .noGuardOnePass { options.guardTime = 0 }
        if mutant == .noGuardOnePass { options.agreement = 1 }
        options.isDeterministic = mutant != .blockTicks
        var runs: [(text: String, finals: [TranscriptSegment], isBroken: Bool)] = []
        for run in 0..<2 {
            var random = SplitMix64(seed: seed &+ UInt64(run))
            let planted = PlantedDecoder(speech)
            let decoder: any LiveDecoder =
                mutant == .slideWithoutAnchor ? UnanchoredDecoder(planted) : RecordingDecoder(planted)
            let bench = LiveBench(decoder, options: options)
            try bench.feed(samples[...], random: &random)
            let volatile = bench.state.volatile
            if mutant == .stopCommitsVolatile { bench.loop.loop.cancel() }
            if mutant == .stopCommitsVolatile || mutant == .stopCommitsVolatileThenDecodes, var segment = volatile {
                segment.isFinal = true
                bench.record(.finals([segment]))
            }
            if mutant != .stopCommitsVolatile { try bench.loop.loop.close() }
            var isBroken = !bench.violations.isEmpty || !bench.unstableFinals.isEmpty
            if mutant == .unclampedTimes, let raw = (decoder as? RecordingDecoder)?.times {
                isBroken = isBroken || !areOrdered(bench.finals, times: raw)
            }
            runs.append((bench.text, bench.finals, isBroken))
        }
        return runs.contains { $0.isBroken || $0.text != speech.text } || runs[0].finals != runs[1].finals
    }

    /// Returns whether the finals would be in order with the times that the decoder returned.
    private static func areOrdered(_ finals: [TranscriptSegment], times: [String: LiveWord]) -> Bool {
        var state = TranscriptState()
        for var segment in finals {
            segment.words = segment.words?.map { word in
                guard let raw = times[word.word] else { return word }
                return TranscriptWord(
                    word: word.word, start: Double(raw.start) / 16_000, end: Double(raw.end) / 16_000, probability: 1)
            }
            segment.start = segment.words?.first?.start ?? segment.start
            segment.end = segment.words?.last?.end ?? segment.end
            do { try state.apply(.final(segment)) } catch { return false }
        }
        return true
    }
}

/// Records the last times returned for each word.
private final class RecordingDecoder: LiveDecoder {
    private let planted: PlantedDecoder
    private(set) var times: [String: LiveWord] = [:]

    init(_ planted: PlantedDecoder) { self.planted = planted }

    func decode(_ request: LiveRequest) throws -> LivePass {
        let pass = try planted.decode(request)
        for word in pass.words { times[word.text] = word }
        return pass
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try planted.transcribe(samples) }
}

/// Decodes long windows from the middle of the last final word, as if they had slid there.
private final class UnanchoredDecoder: LiveDecoder {
    private let planted: PlantedDecoder

    init(_ planted: PlantedDecoder) { self.planted = planted }

    func decode(_ request: LiveRequest) throws -> LivePass {
        guard let last = request.forced.last, request.range.count > 8 * 16_000 else {
            return try planted.decode(request)
        }
        let from = min((last.start + last.end) / 2, request.range.upperBound - 1)
        let range = from..<request.range.upperBound
        var slid = LiveRequest(range: range, samples: Array(request.samples.suffix(range.count)))
        slid.isClosing = request.isClosing
        slid.attention = request.attention
        var pass = try planted.decode(slid)
        // Words that are already final are recognized by their times.
        pass.words.removeAll { ($0.start + $0.end) / 2 < last.end }
        return pass
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try planted.transcribe(samples) }
}
