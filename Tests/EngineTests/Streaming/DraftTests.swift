import Testing

/// A draft never changes the result of a pass.
@Suite("Drafts of live passes")
struct DraftTests {
    /// A decoder of `micro.en` with random weights that has encoded a window.
    private static func decoder(_ backend: ComputeOptions.Backend = .openblas) throws -> TextDecoder {
        let decoder = try RandomModel("micro.en", backend).decoder
        decoder.attention = AttentionRecord(
            heads: [AlignmentHead(layer: 0, head: 1), AlignmentHead(layer: 1, head: 0)], columns: 100)
        return decoder
    }

    private struct Text {
        var tokens: [Int]
        var probability: Double
        var rows: Int
        var record: AttentionRecord?
        var accepted: Int
    }

    /// Generates `count` different tokens, always the best unused one, so that no two positions of the text are alike.
    private static func generate(
        _ count: Int, with decoder: TextDecoder, after start: [Int] = [50_257, 50_362], draft: [Int],
        terms: TermTrie? = nil
    ) throws -> Text {
        var options = DecodingOptions()
        options.sampleLength = count
        decoder.attention = decoder.attention.map { AttentionRecord(heads: $0.heads, columns: $0.columns) }
        let task = DecodingTask(
            options: options, filters: [NoRepeatNgrams(size: 1), SuppressTokens([50_256])], endOfText: 50_256,
            noSpeech: 50_361,
            vocabularySize: decoder.vocabularySize, terms: terms)
        let scorer = DraftScorer(decoder, draft: draft)
        let decoded = try task.run(
            scorer, from: InitialTokens(tokens: start, sotIndex: 0))
        scorer.finish()
        return Text(
            tokens: decoded.tokens, probability: decoded.sumLogprobs, rows: scorer.cachedCount,
            record: decoder.attention,
            accepted: scorer.acceptedCount)
    }

    private static func expect(_ text: Text, equals truth: Text, _ comment: String) {
        #expect(text.tokens == truth.tokens, "\(comment)")
        #expect(abs(text.probability - truth.probability) < 1e-3, "\(comment)")
        #expect(text.rows == truth.rows, "\(comment)")
        #expect(text.record?.rows == truth.rows && truth.record?.rows == truth.rows, "\(comment)")
        for (scores, expected) in zip(text.record?.scores ?? [], truth.record?.scores ?? []) {
            #expect(NetworkFixture.error(scores, expected) < 1e-5, "\(comment)")
        }
    }

    @Test("a correct, wrong, partly correct, empty, too long or invalid draft gives the same text")
    func planted() throws {
        let decoder = try Self.decoder()
        let truth = try Self.generate(40, with: decoder, draft: [])
        #expect(truth.tokens.count == 40 && Set(truth.tokens).count == 40 && truth.accepted == 0)
        let correct = truth.tokens
        let cases: [(name: String, draft: [Int], accepted: ClosedRange<Int>)] = [
            // In each group of eight, one token is decoded as usual.
            ("correct", correct, 34...34),
            ("wrong", correct.map { $0 + 1 }.filter { !correct.contains($0) }, 0...0),
            ("half correct", correct[..<20] + [7, 8, 9], 17...17),
            ("longer than the text", correct + [1, 2, 3], 34...34),
            ("one token", [correct[0]], 0...0),
            ("tokens outside the vocabulary", correct.prefix(9) + [-1, 60_000] + correct[11...], 7...7),
            ("one extra token", correct.prefix(10) + [5] + correct[10...], 32...34),
            ("one missing token", Array(correct.prefix(10)) + correct[11...], 32...34),
            ("longer than the context", correct + [Int](repeating: 3, count: 2_000), 34...34),
            ("reversed", Array(correct.reversed()), 0...4),
        ]
        for (name, draft, accepted) in cases {
            let text = try Self.generate(40, with: decoder, draft: draft)
            Self.expect(text, equals: truth, name)
            #expect(accepted.contains(text.accepted), "\(name): \(text.accepted)")
        }
    }

    @Test(
        "randomly garbled drafts give the same text with every backend", arguments: RandomModel.backends)
    func garbled(backend: ComputeOptions.Backend) throws {
        let decoder = try Self.decoder(backend)
        let truth = try Self.generate(30, with: decoder, draft: [])
        var random = SplitMix64(seed: 5)
        var accepted = 0
        for run in 0..<40 {
            var draft = truth.tokens
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let position = Int.random(in: 0..<draft.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: draft[position] = Int.random(in: 0..<51_864, using: &random)
                case 1: draft.insert(truth.tokens.randomElement(using: &random) ?? 0, at: position)
                case 2: draft.remove(at: position)
                default: draft.removeLast(min(draft.count - 1, 5))
                }
            }
            let text = try Self.generate(30, with: decoder, draft: draft)
            Self.expect(text, equals: truth, "run \(run)")
            accepted += text.accepted
        }
        #expect(accepted > 400)
    }

    @Test("where a search goes back, the attention is that of its text, and a draft changes nothing")
    func rewinding() throws {
        let decoder = try Self.decoder()
        let plain = try Self.generate(40, with: decoder, draft: [])
        // These begin with tokens that are chosen anyway, and go on with others.
        var random = SplitMix64(seed: 3)
        let terms = plain.tokens.map { token in
            TermTrie.Spelling([token] + (0..<2).map { _ in Int.random(in: 0..<50_000, using: &random) }, weight: 3)
        }
        let truth = try Self.generate(40, with: decoder, draft: [], terms: TermTrie(terms, textBytes: { _ in nil }))
        #expect(truth.tokens.count == 40)
        let record = try #require(truth.record)
        #expect(record.rows == truth.rows && truth.rows == 41)
        decoder.attention = AttentionRecord(heads: record.heads, columns: record.columns)
        _ = try decoder.start([50_257, 50_362] + truth.tokens.dropLast(), logitsAt: [0])
        for (scores, expected) in zip(record.scores, decoder.attention?.scores ?? []) {
            #expect(NetworkFixture.error(scores, expected) < 1e-5)
        }
        for draft in [plain.tokens, truth.tokens, Array(truth.tokens.reversed())] {
            let trie = TermTrie(terms, textBytes: { _ in nil })
            Self.expect(try Self.generate(40, with: decoder, draft: draft, terms: trie), equals: truth, "\(draft)")
        }
    }

    @Test("a draft stops at the end of the context")
    func fullContext() throws {
        let decoder = try Self.decoder()
        let start = [50_257, 50_362] + Array(1_000..<1_434)
        let truth = try Self.generate(100, with: decoder, after: start, draft: [])
        #expect(start.count + truth.tokens.count == decoder.contextLength + 1)
        for draft in [truth.tokens, truth.tokens + truth.tokens, Array(truth.tokens.prefix(11)) + [1, 2, 3, 4]] {
            let text = try Self.generate(100, with: decoder, after: start, draft: draft)
            Self.expect(text, equals: truth, "\(draft.count)")
            #expect(text.accepted > 8)
        }
    }

    /// Decodes each request three times: without a draft, with its draft and with a garbled one.
    private final class ComparingDecoder: LiveDecoder {
        let network: any LiveDecoder
        var random = SplitMix64(seed: 11)
        var passes = 0, draftedPasses = 0, accepted = 0, generated = 0
        var differences: [String] = []

        init(_ network: any LiveDecoder) { self.network = network }

        func decode(_ request: LiveRequest) throws -> LivePass {
            var plain = request
            plain.draft = []
            let truth = try network.decode(plain)
            var garbled = request
            for index in garbled.draft.indices where Int.random(in: 0..<3, using: &random) == 0 {
                garbled.draft[index] = Int.random(in: 0..<50_000, using: &random)
            }
            garbled.draft += truth.words.flatMap(\.tokens)
            for drafted in [request, garbled] {
                var pass = try network.decode(drafted)
                if drafted.draft == request.draft { accepted += pass.acceptedDraftTokens }
                pass.acceptedDraftTokens = truth.acceptedDraftTokens
                if !Self.isSame(pass, truth) { differences.append("\(request.range): \(pass) instead of \(truth)") }
            }
            passes += 1
            generated += truth.generatedTokens
            if !request.draft.isEmpty { draftedPasses += 1 }
            return truth
        }

        func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try network.transcribe(samples) }

        /// Whether the passes are equal except for the last bits of probabilities.
        private static func isSame(_ pass: LivePass, _ truth: LivePass) -> Bool {
            var pass = pass
            guard pass.words.count == truth.words.count, abs(pass.avgLogprob - truth.avgLogprob) < 1e-4 else {
                return false
            }
            pass.avgLogprob = truth.avgLogprob
            for index in pass.words.indices {
                let probability = truth.words[index].probability
                guard abs(pass.words[index].probability - probability) < 1e-4 else { return false }
                pass.words[index].probability = probability
            }
            return pass == truth
        }
    }

    @Test(
        "every pass over the clips has the same words, times, stability and attention with and without a draft",
        arguments: [ComputeType.float32, .bfloat16, .int16, .int8])
    func clips(type: ComputeType) async throws {
        let recognizer = try await LiveNetworkTests.recognizer(type)
        for clip in try await LiveNetworkTests.clips().prefix(type == .float32 ? 7 : 3) {
            // Words that wait for several passes make long drafts.
            var options = LiveNetworkTests.options(.align)
            (options.step, options.minimumProbability) = (0.5, 0.8)
            let comparing = ComparingDecoder(
                recognizer.model.liveDecoder(options, cancellation: CancellationFlag()))
            var loop = LiveLoop(options: options, detector: nil, decoder: comparing, emit: { _ in })
            try loop.feed(clip.samples)
            try loop.close()
            #expect(comparing.differences == [], "\(clip.name)")
            // Most passes have a draft, which saves more than a fifth of the steps.
            #expect(
                2 * comparing.draftedPasses > comparing.passes,
                "\(clip.name): \(comparing.draftedPasses) of \(comparing.passes)")
            #expect(
                5 * comparing.accepted > comparing.generated,
                "\(clip.name): \(comparing.accepted) of \(comparing.generated)")
        }
    }

    @Test("passes get no drafts when drafts are turned off")
    func switchedOff() throws {
        for usesDrafts in [true, false] {
            let speech = PlantedSpeech(seed: 3, seconds: 20...20)
            let decoder = PlantedDecoder(speech)
            var drafts = 0
            decoder.onPass = { drafts += $0?.draft.isEmpty == false ? 1 : 0 }
            var options = LiveNetworkTests.options(.align)
            options.usesDrafts = usesDrafts
            var loop = LiveLoop(options: options, detector: nil, decoder: decoder, emit: { _ in })
            try loop.feed(speech.samples)
            try loop.close()
            #expect(usesDrafts ? drafts > 10 : drafts == 0)
        }
    }
}
