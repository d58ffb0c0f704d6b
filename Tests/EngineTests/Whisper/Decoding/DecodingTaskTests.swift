import Foundation
import Testing

@Suite("Decoding task")
struct DecodingTaskTests {
    static let specials = SpecialTokens(vocabularySize: 51_864)

    static func task(_ change: (inout DecodingOptions) -> Void = { _ in }) throws -> DecodingTask {
        var options = DecodingOptions()
        change(&options)
        return try DecodingTask(options: options, specials: specials, nonSpeechTokens: [1, 2, 7])
    }

    static let initial = InitialTokens(tokens: [specials.startOfTranscript], sotIndex: 0)

    /// A scorer that makes `script[n]` the most likely id of step n, then the end of text.
    static func scorer(_ script: [Int], context: Int = 448, begin: Int = 1) -> ScriptedScorer {
        ScriptedScorer(vocabularySize: specials.vocabularySize, contextLength: context) { prefix in
            var row = [Float](repeating: 0, count: specials.vocabularySize)
            let step = prefix.count - begin
            row[step >= 0 && step < script.count ? script[step] : specials.endOfText] = 20
            return row
        }
    }

    @Test("the no-speech probability comes from the unfiltered logits at the start token")
    func noSpeech() throws {
        let t = Self.specials.firstTimestamp
        let tokens = [Self.specials.startOfPrevious, 5, 6, Self.specials.startOfTranscript, 9]
        let scorer = ScriptedScorer(vocabularySize: 51_864) { prefix in
            var row = [Float](repeating: 0, count: 51_864)
            if prefix.last == Self.specials.startOfTranscript { row[Self.specials.noSpeech] = 12 }
            row[prefix.count < 6 ? t : Self.specials.endOfText] = 15
            return row
        }
        let result = try Self.task().run(scorer, from: InitialTokens(tokens: tokens, sotIndex: 3))
        #expect(scorer.positions == [3, 4])
        let sum = exp(12.0) + exp(15.0) + 51_862
        #expect(abs(result.noSpeechProb - exp(12.0) / sum) < 1e-6)
    }

    @Test("one position is scored if the start token is the last initial token")
    func onePosition() throws {
        let scorer = Self.scorer([Self.specials.firstTimestamp, 400])
        _ = try Self.task().run(scorer, from: Self.initial)
        #expect(scorer.positions == [0])
    }

    @Test("the end of text is not part of the tokens but counts in the mean")
    func mean() throws {
        let t = Self.specials.firstTimestamp
        let result = try Self.task().run(Self.scorer([t, 400, 401, t + 50]), from: Self.initial)
        #expect(result.tokens == [t, 400, 401, t + 50])
        #expect(abs(result.avgLogprob - result.sumLogprobs / 5) < 1e-12)
        let text = result.result(text: "la la", temperature: 0)
        #expect(text.compressionRatio == CompressionRatio.of("la la"))
        #expect(text.tokens == result.tokens)
        #expect(text.avgLogprob == result.avgLogprob)
    }

    @Test("forced tokens belong to the text, and the filters know them")
    func forced() throws {
        let t = Self.specials.firstTimestamp
        let initial = InitialTokens(
            tokens: [Self.specials.startOfTranscript, t, 400], sotIndex: 0, forced: [t, 400])
        // Without the forced timestamp, text could not come first.
        let scorer = Self.scorer([401, t + 50], begin: 3)
        var shown: [[Int]] = []
        let result = try Self.task().run(scorer, from: initial, onStep: { shown.append($0.tokens) })
        #expect(result.tokens == [t, 400, 401, t + 50] && result.logprobs.prefix(2) == [0, 0])
        #expect(result.logprobs.count == 4 && shown.first == [t, 400, 401])
    }

    @Test("decoding stops after half the context, the given number of tokens, or when the context is full")
    func lengths() throws {
        let endless = Array(repeating: 400, count: 1000)
        func count(_ context: Int = 448, begin: Int = 1, _ change: (inout DecodingOptions) -> Void) throws -> Int {
            let scorer = Self.scorer(endless, context: context, begin: begin)
            let initial = InitialTokens(
                tokens: [Self.specials.startOfTranscript] + Array(repeating: 5, count: begin - 1), sotIndex: 0)
            let task = try Self.task {
                $0.withoutTimestamps = true
                change(&$0)
            }
            return try task.run(scorer, from: initial).tokens.count
        }
        #expect(try count { _ in } == 224)
        #expect(try count { $0.sampleLength = 3 } == 3)
        #expect(try count { ($0.sampleLength, $0.maxNewTokens) = (3, 10) } == 10)
        // The last token is never fed back, so that one more than the context holds is possible.
        #expect(try count(20, begin: 15) { $0.sampleLength = 100 } == 6)
        #expect(try count(20, begin: 20) { $0.sampleLength = 100 } == 1)
        #expect(try count(20, begin: 15) { $0.maxNewTokens = 5 } == 5)
        #expect(throws: DecodingError.tooManyTokens(initial: 15, new: 6, context: 20)) {
            try count(20, begin: 15) { $0.maxNewTokens = 6 }
        }
        #expect(throws: DecodingError.tooManyTokens(initial: 21, new: 0, context: 20)) {
            try count(20, begin: 21) { _ in }
        }
    }

    @Test("exactly the forced number of text tokens is generated", arguments: [0, 1, 5, 300])
    func forced(count: Int) throws {
        let t = Self.specials.firstTimestamp
        for beams in [nil, 3] {
            let task = try Self.task { ($0.forcedTokenCount, $0.beamSize, $0.suppressBlank) = (count, beams, false) }
            let result = try task.run(Self.scorer([t, 400, Self.specials.endOfText, t]), from: Self.initial)
            #expect(result.tokens.count == count)
            #expect(result.tokens.allSatisfy { $0 < Self.specials.endOfText })
            #expect(result.avgLogprob > -100)
        }
    }

    @Test("the step handler receives the growing text, and an error it throws ends the pass")
    func stepHandler() throws {
        let t = Self.specials.firstTimestamp
        var steps: [[Int]] = []
        let scorer = Self.scorer([t, 400, 401])
        _ = try Self.task().run(scorer, from: Self.initial) { steps.append($0.tokens) }
        #expect(steps == [[t], [t, 400], [t, 400, 401], [t, 400, 401]])
        let cancelled = Self.scorer([t, 400, 401])
        #expect(throws: CancellationError.self) {
            try Self.task().run(cancelled, from: Self.initial) { if $0.tokens.count == 2 { throw CancellationError() } }
        }
        #expect(cancelled.advanceCount == 1)
    }

    @Test("the same seed gives the same samples, and there are never more rows than best-of")
    func samples() throws {
        func run(_ seed: UInt64, position: Int) throws -> [Int] {
            let task = try Self.task {
                ($0.temperature, $0.bestOf, $0.seed, $0.sampleLength) = (1, 4, seed, 6)
            }
            let scorer = ScriptedScorer(vocabularySize: 51_864) { prefix in
                PlantedNumbers.units(1, prefix, count: 51_864).map { Float($0 * 9) }
            }
            let tokens = try task.run(scorer, from: Self.initial, position: position).tokens
            #expect(scorer.rows.count <= 4)
            return tokens
        }
        let first = try run(1, position: 0)
        #expect(try run(1, position: 0) == first)
        #expect(try run(2, position: 0) != first)
        #expect(try run(1, position: 3000) != first)
    }

    @Test(
        "extreme logits do not trap, and the mean stays finite",
        arguments: [-Float.infinity, 3e38, -3e38], [(0.0, nil as Int?), (0, 5), (0.6, nil)])
    func extremes(value: Float, search: (temperature: Double, beams: Int?)) throws {
        let scorer = ScriptedScorer(vocabularySize: 51_864) { _ in [Float](repeating: value, count: 51_864) }
        let task = try Self.task {
            ($0.temperature, $0.beamSize, $0.sampleLength) = (search.temperature, search.beams, 5)
        }
        let result = try task.run(scorer, from: Self.initial)
        #expect(result.avgLogprob.isFinite)
        #expect(result.noSpeechProb.isFinite)
    }

    @Test("a network whose scores are not numbers is stopped", arguments: [Float.nan, .infinity], [0, 2])
    func notFinite(value: Float, steps: Int) throws {
        let scorer = ScriptedScorer(vocabularySize: 51_864) { prefix in
            [Float](repeating: prefix.count < Self.initial.tokens.count + steps ? 0 : value, count: 51_864)
        }
        let task = try Self.task { $0.sampleLength = 5 }
        #expect(throws: DecodingError.notFinite) { try task.run(scorer, from: Self.initial) }
    }

    @Test("suppressing every token produces no text")
    func allSuppressed() throws {
        let task = try Self.task {
            $0.suppressTokens = Array(0..<51_864)
            $0.sampleLength = 5
        }
        #expect(try task.run(Self.scorer([]), from: Self.initial).tokens.isEmpty)
    }

    @Test("network and tokenizer with different vocabularies are rejected")
    func vocabulary() throws {
        let scorer = ScriptedScorer(vocabularySize: 24) { _ in [Float](repeating: 0, count: 24) }
        #expect(throws: DecodingError.wrongVocabulary(network: 24, tokenizer: 51_864)) {
            try Self.task().run(scorer, from: Self.initial)
        }
    }

    @Test("ids outside the vocabulary and vocabularies that are too small are rejected")
    func misfits() throws {
        #expect(throws: DecodingError.vocabularyTooSmall(1000)) {
            try DecodingTask(
                options: DecodingOptions(), specials: SpecialTokens(vocabularySize: 1000), nonSpeechTokens: [])
        }
        #expect(
            throws: DecodingError.unknownToken(option: "non-speech tokens", id: 51_864, vocabularySize: 51_864)
        ) {
            try DecodingTask(options: DecodingOptions(), specials: Self.specials, nonSpeechTokens: [51_864])
        }
        #expect(throws: DecodingError.unknownToken(option: "initial tokens", id: -1, vocabularySize: 51_864)) {
            try Self.task().run(Self.scorer([]), from: InitialTokens(tokens: [-1], sotIndex: 0))
        }
    }
}
