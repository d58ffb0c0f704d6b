import Testing
import WhisperEngine

/// A pass with a draft is the pass without one.
@Suite("Drafts of live passes")
struct DraftTests {
    /// A decoder that has heard a window, as `micro.en` with random weights hears it.
    private static func decoder(_ backend: BackendChoice = .openblas) throws -> TextDecoder {
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
        var foretold: Int
    }

    /// Writes `count` different tokens, the best that has not come yet, so that no two places of the text are alike.
    private static func write(
        _ count: Int, with decoder: TextDecoder, behind start: [Int] = [50_257, 50_362], draft: [Int]
    ) throws -> Text {
        var options = DecodingOptions()
        options.sampleLength = count
        decoder.attention = decoder.attention.map { AttentionRecord(heads: $0.heads, columns: $0.columns) }
        let task = DecodingTask(
            options: options, filters: [NoRepeatNgrams(size: 1), SuppressTokens([50_256])], endOfText: 50_256,
            noSpeech: 50_361,
            vocabularySize: decoder.vocabularySize)
        let scorer = DraftScorer(decoder, draft: draft)
        let found = try task.run(
            scorer, from: InitialTokens(tokens: start, sotIndex: 0),
            choose: { logits, _ in LogProbabilities.best(logits) })
        scorer.finish()
        return Text(
            tokens: found.tokens, probability: found.sumLogprobs, rows: scorer.taken, record: decoder.attention,
            foretold: scorer.foretold)
    }

    private static func expect(_ found: Text, equals truth: Text, _ what: String) {
        #expect(found.tokens == truth.tokens, "\(what)")
        #expect(abs(found.probability - truth.probability) < 1e-3, "\(what)")
        #expect(found.rows == truth.rows, "\(what)")
        #expect(found.record?.rows == truth.rows && truth.record?.rows == truth.rows, "\(what)")
        for (scores, expected) in zip(found.record?.scores ?? [], truth.record?.scores ?? []) {
            #expect(NetworkFixture.error(scores, expected) < 1e-5, "\(what)")
        }
    }

    @Test("drafts right, wrong, half right, empty, too long or out of the vocabulary give the same text")
    func planted() throws {
        let decoder = try Self.decoder()
        let truth = try Self.write(40, with: decoder, draft: [])
        #expect(truth.tokens.count == 40 && Set(truth.tokens).count == 40 && truth.foretold == 0)
        let right = truth.tokens
        let cases: [(name: String, draft: [Int], foretold: ClosedRange<Int>)] = [
            // Each group of eight has one token that is given as ever.
            ("right", right, 34...34),
            ("wrong", right.map { $0 + 1 }.filter { !right.contains($0) }, 0...0),
            ("half right", right[..<20] + [7, 8, 9], 17...17),
            ("longer than the text", right + [1, 2, 3], 34...34),
            ("one token", [right[0]], 0...0),
            ("a token that there is not", right.prefix(9) + [-1, 60_000] + right[11...], 7...7),
            ("a token too many", right.prefix(10) + [5] + right[10...], 32...34),
            ("a token too few", Array(right.prefix(10)) + right[11...], 32...34),
            ("longer than the context", right + [Int](repeating: 3, count: 2_000), 34...34),
            ("backwards", Array(right.reversed()), 0...4),
        ]
        for (name, draft, foretold) in cases {
            let found = try Self.write(40, with: decoder, draft: draft)
            Self.expect(found, equals: truth, name)
            #expect(foretold.contains(found.foretold), "\(name): \(found.foretold)")
        }
    }

    @Test(
        "random garblings of the text as drafts give the same text with every backend", arguments: RandomModel.backends)
    func garbled(backend: BackendChoice) throws {
        let decoder = try Self.decoder(backend)
        let truth = try Self.write(30, with: decoder, draft: [])
        var random = SplitMix64(seed: 5)
        var foretold = 0
        for run in 0..<40 {
            var draft = truth.tokens
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<draft.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: draft[place] = Int.random(in: 0..<51_864, using: &random)
                case 1: draft.insert(truth.tokens.randomElement(using: &random) ?? 0, at: place)
                case 2: draft.remove(at: place)
                default: draft.removeLast(min(draft.count - 1, 5))
                }
            }
            let found = try Self.write(30, with: decoder, draft: draft)
            Self.expect(found, equals: truth, "run \(run)")
            foretold += found.foretold
        }
        #expect(foretold > 400)
    }

    @Test("a draft ends with the context")
    func fullContext() throws {
        let decoder = try Self.decoder()
        let start = [50_257, 50_362] + Array(1_000..<1_434)
        let truth = try Self.write(100, with: decoder, behind: start, draft: [])
        #expect(start.count + truth.tokens.count == decoder.contextLength + 1)
        for draft in [truth.tokens, truth.tokens + truth.tokens, Array(truth.tokens.prefix(11)) + [1, 2, 3, 4]] {
            let found = try Self.write(100, with: decoder, behind: start, draft: draft)
            Self.expect(found, equals: truth, "\(draft.count)")
            #expect(found.foretold > 8)
        }
    }

    /// Gives each request three times: without a draft, with its own and with a garbled one.
    private final class Twins: LiveDecoder {
        let network: NetworkLiveDecoder
        var random = SplitMix64(seed: 11)
        var passes = 0, stretches = 0, foretold = 0, written = 0
        var differences: [String] = []

        init(_ network: NetworkLiveDecoder) { self.network = network }

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
                if drafted.draft == request.draft { foretold += pass.acceptedDraftTokens }
                pass.acceptedDraftTokens = truth.acceptedDraftTokens
                if !Self.isSame(pass, truth) { differences.append("\(request.range): \(pass) for \(truth)") }
            }
            passes += 1
            written += truth.generatedTokens
            if !request.draft.isEmpty { stretches += 1 }
            return truth
        }

        func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try network.transcribe(samples) }

        /// Equal but for the last bits of probabilities.
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
        "at every pass over the clips words, times, certainty and attention are those without a draft",
        arguments: [ComputeType.float32, .bfloat16, .int8])
    func clips(type: ComputeType) async throws {
        let recognizer = try await LiveNetworkTests.recognizer(type)
        for clip in try await LiveNetworkTests.clips().prefix(type == .float32 ? 7 : 3) {
            let options = LiveNetworkTests.options(.align)
            let twins = Twins(
                NetworkLiveDecoder(
                    recognizer.model, tokenizer: recognizer.tokenizer, options: options,
                    cancellation: CancellationFlag()))
            var loop = LiveLoop(options: options, detector: nil, decoder: twins, tell: { _ in })
            try loop.hear(clip.samples)
            try loop.close()
            #expect(twins.differences == [], "\(clip.name)")
            // Most passes have a draft, and it saves every fifth step and more.
            #expect(2 * twins.stretches > twins.passes, "\(clip.name): \(twins.stretches) of \(twins.passes)")
            #expect(5 * twins.foretold > twins.written, "\(clip.name): \(twins.foretold) of \(twins.written)")
        }
    }

    @Test("a session without drafts gives none to its passes")
    func switchedOff() throws {
        for usesDrafts in [true, false] {
            let speech = PlantedSpeech(seed: 3, seconds: 20...20)
            let decoder = PlantedDecoder(speech)
            var drafts = 0
            decoder.onPass = { drafts += $0?.draft.isEmpty == false ? 1 : 0 }
            var options = LiveNetworkTests.options(.align)
            options.usesDrafts = usesDrafts
            var loop = LiveLoop(options: options, detector: nil, decoder: decoder, tell: { _ in })
            try loop.hear(speech.samples)
            try loop.close()
            #expect(usesDrafts ? drafts > 10 : drafts == 0)
        }
    }
}
