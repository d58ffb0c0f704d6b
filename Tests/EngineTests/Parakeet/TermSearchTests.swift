import Testing

@Suite("Searches of transducers with terms")
struct TermSearchTests {
    private static let blank = 9

    private static func dimensions(durations: [Int]? = nil) throws -> ParakeetDimensions {
        try .decoder(durations: durations, vocabulary: blank, maxSymbols: 4)
    }

    /// A token at each frame of a text, the blank where there is none.
    ///
    /// - Parameters:
    ///   - text: by frame. A token that was heard at its frame is followed by the blank.
    ///   - near: by frame, how much less likely other tokens are than the text's, which otherwise are 20 less likely.
    private static func network(
        _ text: [Int: Int], near: [Int: [Int: Float]] = [:], durations: Int = 0
    ) -> ScriptedTransducer {
        ScriptedTransducer { frame, tokens in
            // Each frame has one token at most.
            let isHeard = tokens.count > text.keys.filter { $0 < frame }.count
            let next = isHeard ? blank : text[frame] ?? blank
            let scores = (0...blank).map { $0 == next ? 0 : -(next == blank ? 20 : near[frame]?[$0] ?? 20) }
            return scores + (0..<durations).map { $0 == 0 ? Float(0) : -5 }
        }
    }

    private static func trie(_ terms: [[Int]], weight: Float = 1) -> TermTrie {
        TermTrie(terms.map { TermTrie.Spelling($0, weight: weight) }, textBytes: { [UInt8($0)] })
    }

    private static func greedy(
        _ terms: TermTrie, _ network: ScriptedTransducer, frames: Int = 12, durations: [Int]? = nil
    ) throws -> [ParakeetToken] {
        var search = RewindingSearch(try dimensions(durations: durations), terms: terms)
        return try search.tokens(frames: frames, network, isLast: true)
    }

    private static let text = [1: 1, 3: 2, 5: 3, 8: 4]

    @Test("a term whose tokens are nearly the likeliest is chosen, with the network's log probabilities")
    func term() throws {
        let network = Self.network(Self.text, near: [3: [5: 1.5], 5: [6: 2]])
        let found = try Self.greedy(Self.trie([[5, 6]]), network)
        #expect(found.map(\.id) == [1, 5, 6, 4] && found.map(\.start) == [1, 3, 5, 8])
        #expect(zip(found.map(\.logprob), [0, -1.7, -2.13, 0] as [Float]).allSatisfy { abs($0 - $1) < 0.02 })
        // With the weight 0.5, its tokens are too unlikely.
        #expect(try Self.greedy(Self.trie([[5, 6]], weight: 0.5), network).map(\.id) == [1, 2, 3, 4])
    }

    @Test("a term is not begun where the network prefers the blank")
    func blank() throws {
        let network = ScriptedTransducer { frame, tokens in
            (0...Self.blank).map { $0 == Self.blank ? 0 : $0 == 5 ? -0.1 : -9 }
        }
        #expect(try Self.greedy(Self.trie([[5]]), network).isEmpty)
    }

    @Test("a term that is not finished, or too unlikely, is taken back", arguments: [nil, [1, 2]] as [[Int]?])
    func rewinding(durations: [Int]?) throws {
        for (near, terms) in [
            ([3: [5: 1.5], 5: [6: 2], 8: [7: 9]], [[5, 6, 7]]),
            ([3: [5: 1.5], 5: [6: 3.5]], [[5, 6]]),
            ([3: [5: 1.5], 5: [6: 1]], [[5, 7]]),
            ([8: [5: 1.5]], [[5, 6]]),
        ] as [([Int: [Int: Float]], [[Int]])] {
            let network = Self.network(Self.text, near: near, durations: durations?.count ?? 0)
            let found = try Self.greedy(Self.trie(terms), network, durations: durations)
            var plain = RewindingSearch(try Self.dimensions(durations: durations), terms: Self.trie([[8]]))
            #expect(try found == plain.tokens(frames: 12, network, isLast: true), "\(terms)")
            #expect(found.map(\.id) == [1, 2, 3, 4], "\(terms)")
        }
    }

    @Test("the next best term is tried where one was taken back")
    func others() throws {
        let network = Self.network(Self.text, near: [3: [5: 1, 6: 1.5], 5: [7: 2.4]])
        let found = try Self.greedy(Self.trie([[5, 8], [6, 7]]), network)
        #expect(found.map(\.id) == [1, 6, 7, 4])
    }

    @Test("a term is finished in 3.2 seconds or not at all")
    func late() throws {
        func found(last frame: Int) throws -> [Int] {
            let network = Self.network([1: 1, 3: 2, frame: 3], near: [3: [5: 1.5], frame: [6: 2]])
            return try Self.greedy(Self.trie([[5, 6]]), network, frames: 80).map(\.id)
        }
        #expect(try found(last: 3 + RewindingSearch.longestTerm - 1) == [1, 5, 6])
        #expect(try found(last: 3 + RewindingSearch.longestTerm) == [1, 2, 3])
    }

    @Test("a stream's tokens are the same whatever its parts", arguments: [nil, [0, 1, 2, 4]] as [[Int]?])
    func parts(durations: [Int]?) throws {
        let dimensions = try ParakeetDimensions.decoder(durations: durations, vocabulary: 20, maxSymbols: 3)
        var different = 0
        for seed in 1...30 {
            let network = ScriptedTransducer.planted(dimensions, seed: seed)
            var random = SplitMix64(seed: UInt64(seed))
            let terms = (0..<12).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0..<20, using: &random) }
            }
            let trie = Self.trie(terms)
            var search = RewindingSearch(dimensions, terms: trie)
            let whole = try search.tokens(frames: 90, network, isLast: true)
            for _ in 0..<5 {
                search.start()
                var found: [ParakeetToken] = [], heard = 0
                while heard < 90 {
                    let count = min(Int.random(in: 1...20, using: &random), 90 - heard), first = heard - search.kept
                    #expect(search.kept < RewindingSearch.longestTerm)
                    let part = ScriptedTransducer { network.compute(first + $0, $1) }
                    // The same states.
                    part.texts = network.texts
                    found += try search.tokens(frames: count, part, isLast: heard + count == 90)
                    network.texts = part.texts
                    heard += count
                    #expect(heard - search.kept >= (found.last?.start ?? 0))
                }
                #expect(found == whole, "\(seed)")
            }
            search.terms = TermTrie([TermTrie.Spelling([19, 19, 19, 19, 19])], textBytes: { _ in nil })
            search.start()
            if try search.tokens(frames: 90, network, isLast: true) != whole { different += 1 }
            #expect(network.texts.count < 40)
        }
        #expect(different > 5)
    }

    @Test("beams compare texts with the bonuses of their terms, which an unfinished term loses")
    func beams() throws {
        func found(_ terms: [[Int]], near: [Int: [Int: Float]]) throws -> [Int] {
            var search = BeamSearch(try Self.dimensions(), size: 4, terms: Self.trie(terms))
            let tokens = try search.tokens(frames: 12, Self.network(Self.text, near: near))
            #expect(search.candidates.allSatisfy { $0.logprob <= 0 })
            return tokens.map(\.id)
        }
        #expect(try found([[5, 6]], near: [3: [5: 1], 5: [6: 1.5]]) == [1, 5, 6, 4])
        #expect(try found([[5, 6]], near: [3: [5: 2], 5: [6: 2]]) == [1, 2, 3, 4])
        #expect(try found([[5, 7]], near: [3: [5: 1], 5: [6: 1.5]]) == [1, 2, 3, 4])
        #expect(try found([[5, 6]], near: [8: [5: 1]]) == [1, 2, 3, 4])
    }

    @Test("a beam search without terms near finds what it finds without terms")
    func unlikelyTerms() throws {
        let dimensions = try ParakeetDimensions.decoder(durations: [0, 1, 2], vocabulary: 20, maxSymbols: 3)
        for seed in 1...5 {
            let network = ScriptedTransducer.planted(dimensions, seed: seed)
            var plain = BeamSearch(dimensions, size: 4)
            var search = BeamSearch(dimensions, size: 4, terms: Self.trie([[0, 0, 0]], weight: 1e-6))
            #expect(try search.tokens(frames: 40, network) == plain.tokens(frames: 40, network))
        }
    }

    private static func options(_ terms: [Term], beams: Int?) -> TranscriptionOptions {
        var options = TranscriptionOptions()
        options.wordTimestamps = true
        options.tokenLogprobs = true
        options.beamSize = beams
        options.terms = terms
        return options
    }

    /// Terms that differ from the words of a clip in their last token.
    private static func terms(_ model: ParakeetModel, _ words: [String]) -> [Term] {
        let pieces = (20..<model.vocabulary.pieces.count).map { model.vocabulary.pieces[$0] }.filter { $0.count == 2 }
        return words.enumerated().flatMap { index, word in
            let bare = word.filter(\.isLetter)
            return (0..<6).map { Term(String(bare.dropLast()) + pieces[(index * 6 + $0) % pieces.count], weight: 3) }
        }
    }

    @Test("recordings, batches and live sessions prefer terms", arguments: ["tdt", "rnnt", "streaming"], [nil, 4])
    func everywhere(name: String, beams: Int?) async throws {
        if name == "streaming", beams != nil { return }
        let fixture = ParakeetFixture(name: name), model = try fixture.model(type: .int8), samples = try fixture.samples
        let recognizer = Recognizer(model)
        func text(_ terms: [Term]) async throws -> [Int] {
            let options = Self.options(terms, beams: beams)
            return try await recognizer.transcribe(SampleSource(samples), options: options).segments.flatMap(\.tokens)
        }
        func batch(_ terms: [Term]) throws -> [Int] {
            let options = Self.options(terms, beams: beams), store = SampleStore()
            try store.append(samples)
            let chunk = RecordingChunk(speech: KeptAudio([0..<samples.count]))
            return try model.batch(slots: 1, options: options).decode(
                chunk, of: store, slot: 0, options: options, language: "en"
            ).window.segments.flatMap(\.tokens)
        }
        func live(_ terms: [Term]) throws -> [Int] {
            var options = StreamingOptions()
            options.transcription = Self.options(terms, beams: beams)
            return try model.liveDecoder(options, cancellation: CancellationFlag()).transcribe(samples)
                .flatMap(\.tokens)
        }
        let plain = try await text([])
        let terms = Self.terms(model, try fixture.result.whole.words.map(\.text))
        let found = try await text(terms)
        #expect(found != plain)
        #expect(try await text([]) == plain)
        // A term that is never finished leaves no trace in greedy search.
        if beams == nil { #expect(try await text([Term("Qqqqqqqqqq")]) == plain) }
        #expect(try batch(terms) != batch([]) && live(terms) != live([]))
    }
}
