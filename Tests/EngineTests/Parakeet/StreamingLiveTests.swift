import Testing

@Suite("Live audio with Parakeet's streaming models")
struct StreamingLiveTests {
    /// What a session shows.
    private final class Shown {
        var state = TranscriptState()
        var outputs: [LiveLoop.Output] = []
        var languages: [String] = []

        func add(_ output: LiveLoop.Output) {
            outputs.append(output)
            switch output {
            case .finals(let finals):
                for final in finals {
                    #expect(final.start >= state.finalized.last?.end ?? 0 && final.id == state.finalized.count)
                    apply(.final(final))
                }
            case .volatile(let segment):
                if let segment { #expect(segment.start >= state.finalized.last?.end ?? 0) }
                apply(.volatile(segment))
            case .language(let language): languages.append(language.code)
            case .utterance: break
            }
        }

        private func apply(_ update: TranscriptUpdate) {
            do { try state.apply(update) } catch { Issue.record(error) }
        }

        var text: String { state.finalized.map(\.text).joined() }
    }

    private static func run(
        _ fixture: ParakeetFixture, _ samples: [Float], blocks: [Int] = [320], options: StreamingOptions,
        detector: (any VoiceActivityDetector)? = nil
    ) throws -> Shown {
        let shown = Shown(), model = try fixture.model()
        let decoder = model.liveDecoder(options, cancellation: CancellationFlag())
        var loop = LiveLoop(
            options: options, detector: detector, decoder: decoder, start: SessionStart(id: SessionID("s")),
            emit: { shown.add($0) })
        var rest = samples[...], index = 0
        while !rest.isEmpty {
            let block = rest.prefix(blocks[index % blocks.count])
            rest = rest.dropFirst(block.count)
            index += 1
            // Late sessions skip nothing.
            try loop.feed(Array(block), backlog: rest.count)
            if detector == nil { #expect(loop.head - loop.decoded < 1280) }
        }
        try loop.close()
        #expect(shown.state.volatile == nil)
        return shown
    }

    private static func samples(_ fixture: ParakeetFixture) throws -> [Float] {
        let clip = try fixture.samples
        return (0..<6).flatMap { clip + [Float](repeating: 0, count: 3_001 * $0) }
    }

    static let steps = [0.25, 0.8, 1.2]

    @Test("the text is that of the recording, whatever the blocks", arguments: ParakeetFixture.streaming, steps)
    func text(fixture: ParakeetFixture, step: Double) throws {
        var options = StreamingOptions()
        options.step = step
        let samples = try Self.samples(fixture), model = try fixture.model()
        let lookahead = try #require(model.dimensions.streaming).lookahead(within: step, frame: 0.08)
        #expect(lookahead == [0.25: 1, 0.8: 6, 1.2: 13][step])
        let expected = try SpeechStreamWords(model, lookahead: lookahead).words(of: samples, block: samples.count)
        let one = try Self.run(fixture, samples, options: options)
        #expect(one.text == expected.joined() && expected.count > 10)
        #expect(one.state.finalized.flatMap { $0.words ?? [] }.map(\.word) == expected)
        let other = try Self.run(fixture, samples, blocks: [1, 4096, 50_000, 160], options: options)
        #expect(other.outputs == one.outputs)
        // Most words do not wait for the end.
        let early = one.outputs.dropLast(3).reduce(0) { count, output in
            if case .finals(let finals) = output { count + finals.count } else { count }
        }
        #expect(early > 3)
        // A word is shown before it is final, and what is shown of it stays.
        var open = "", shown = 0
        for output in one.outputs {
            switch output {
            case .volatile(let segment):
                if let text = segment?.text, !open.isEmpty, !text.isEmpty { #expect(text.hasPrefix(open)) }
                open = segment?.text ?? ""
                shown += open.isEmpty ? 0 : 1
            case .finals(let finals):
                #expect(finals.map(\.text).joined().hasPrefix(open))
                open = ""
            case .language, .utterance: break
            }
        }
        #expect(shown > 3)
    }

    @Test("with the policy utterance, all words are final at its end", arguments: ParakeetFixture.streaming)
    func utterance(fixture: ParakeetFixture) throws {
        var options = StreamingOptions()
        options.policy = .utterance
        let samples = try Self.samples(fixture)
        let one = try Self.run(fixture, samples, options: options)
        #expect(one.state.finalized.count == 1)
        options.policy = .align
        #expect(try Self.run(fixture, samples, options: options).text == one.text)
    }

    @Test("each utterance is a stream of its own", arguments: ParakeetFixture.streaming)
    func utterances(fixture: ParakeetFixture) throws {
        let options = StreamingOptions(), clip = try fixture.samples
        let samples = (0..<3).flatMap { _ in [Float](repeating: 0, count: 32_000) + clip }
        let shown = try Self.run(fixture, samples, options: options, detector: EnergyDetector())
        let utterances = Dictionary(grouping: shown.state.finalized, by: \.utterance)
        #expect(utterances.count >= 3 && utterances.values.allSatisfy { !$0.isEmpty })
    }

    @Test("memory does not grow with the session")
    func memory() throws {
        let fixture = ParakeetFixture.streaming[0], model = try fixture.model()
        let options = StreamingOptions()
        var loopAudio = 0
        let decoder = model.liveDecoder(options, cancellation: CancellationFlag())
        var loop = LiveLoop(options: options, detector: nil, decoder: decoder, emit: { _ in })
        let block = try Self.samples(fixture)
        for _ in 0..<20 {
            try loop.feed(block)
            loopAudio = max(loopAudio, loop.unrecognized.samples.count)
        }
        // What is not heard yet; nothing else of the audio is kept.
        #expect(loopAudio < 1280 + 320)
    }

    @Test("the language of a session can be given and changed")
    func language() throws {
        let fixture = ParakeetFixture.streaming[1], model = try fixture.model()
        var options = StreamingOptions()
        func decoder() -> any LiveDecoder { model.liveDecoder(options, cancellation: CancellationFlag()) }
        #expect(decoder().spokenLanguage == nil && decoder().languageCertainty == .unclear)
        options.language = "de"
        let german = decoder()
        #expect(german.spokenLanguage?.code == "de" && german.languageCertainty == .given)
        let samples = try fixture.samples
        var request = LiveRequest(range: 800..<(800 + samples.count), samples: samples)
        request.isClosing = true
        let words = try german.decode(request).words
        #expect(words.map(\.text).joined() == (try german.transcribe(samples)).map(\.text).joined())
        #expect(words.allSatisfy { $0.start >= 800 && $0.end <= request.range.upperBound && $0.isStable })
        var change = SessionChange()
        change.languages = ["fr"]
        german.change(change)
        #expect(german.spokenLanguage?.code == "fr")
        #expect(try german.decode(request).words != words)
        change.languages = []
        german.change(change)
        #expect(german.spokenLanguage == nil && german.languageCertainty == .unclear)
        let english = try ParakeetFixture.streaming[0].model().liveDecoder(
            StreamingOptions(), cancellation: CancellationFlag())
        #expect(english.spokenLanguage?.code == "en" && english.languageCertainty == .given)
    }

    @Test("a cancelled session hears nothing more")
    func cancellation() throws {
        let flag = CancellationFlag()
        let decoder = try ParakeetFixture.streaming[0].model().liveDecoder(StreamingOptions(), cancellation: flag)
        flag.set()
        #expect(throws: CancellationError.self) {
            try #require(decoder.stream).hear([0], from: 0, isLast: true)
        }
    }
}
