import TestSupport
import Testing

@Suite("Seek loop")
struct SeekLoopTests {
    @Test(
        "calls and results equal the reference's",
        arguments: try Fixtures.json("seek/cases.json", as: SeekCase.File.self).cases)
    func golden(_ example: SeekCase) throws {
        let tokenizer = try #require(VocabularyFixture.byName[example.vocabulary])
        let decoder = ScriptedWindowDecoder { index, call in
            guard index < example.calls.count else { return .scripted([]) }
            let answer = example.calls[index]
            return .scripted(
                answer.tokens, temperature: call.options.temperature, avgLogprob: answer.returned.avgLogprob,
                noSpeechProb: answer.returned.noSpeechProb, compressionRatio: answer.returned.compressionRatio)
        } align: { index, _ in
            guard index < example.alignments.count else { return [] }
            return example.alignments[index].words.map {
                WordTiming(
                    word: $0.word, tokens: $0.tokens, start: $0.start, end: $0.end, probability: $0.probability)
            }
        }
        var loop = SeekLoop(
            options: example.options.transcription, contentFrames: example.contentFrames, tokenizer: tokenizer,
            language: example.language, decoder: decoder)
        var segments: [TranscriptSegment] = []
        while decoder.calls.count <= example.calls.count, let found = try loop.next() { segments += found }

        #expect(decoder.calls.count == example.calls.count)
        for (call, expected) in zip(decoder.calls, example.calls) {
            #expect(call.window.seek == expected.seek && call.window.frames == expected.frames)
            #expect(call.options.temperature == expected.temperature)
            #expect(call.options.prompt == expected.prompt)
            #expect(call.options.beamSize == expected.beamSize)
            #expect(call.options.bestOf == expected.bestOf)
            #expect(call.options.patience == expected.patience)
            #expect(call.options.language == expected.language)
        }
        #expect(decoder.alignments.map(\.textTokens) == example.alignments.map(\.textTokens))
        #expect(decoder.alignments.map(\.window.frames) == example.alignments.map(\.numFrames))
        #expect(segments == example.result.segments)
        #expect(loop.text == example.result.text)
        #expect(example.language == example.result.language)
    }

    fileprivate static let english = VocabularyFixture.english
    fileprivate static let time = SpecialTokens(vocabularySize: 51_864).firstTimestamp

    /// The ids of a segment with times in seconds.
    fileprivate static func ids(_ start: Double, _ text: String, _ end: Double) -> [Int] {
        [time + Int((start * 50).rounded())] + english.encode(text) + [time + Int((end * 50).rounded())]
    }

    private func run(
        _ options: TranscriptionOptions, frames: Int, decoder: ScriptedWindowDecoder
    ) throws -> (segments: [TranscriptSegment], events: [WindowEvent]) {
        var loop = SeekLoop(
            options: options, contentFrames: frames, tokenizer: Self.english, language: "en", decoder: decoder)
        var segments: [TranscriptSegment] = []
        var events: [WindowEvent] = []
        while decoder.calls.count < 100, let found = try loop.next() {
            segments += found
            events += loop.events
        }
        return (segments, events)
    }

    @Test("each window is decoded in its own language, if it is clear, and text in another does not prompt it")
    func multilingual() throws {
        let tokenizer = VocabularyFixture.multilingual100
        let time = tokenizer.special.firstTimestamp
        let text = tokenizer.encode(" text")
        let decoder = ScriptedWindowDecoder { _, _ in .scripted([time] + text + [time + 1500]) }
        decoder.languages = [
            3000: DetectedLanguage(code: "en", probability: 0.9), 6000: DetectedLanguage(code: "fr", probability: 0.6),
            9000: DetectedLanguage(code: "ru", probability: 0.4),
            12_000: DetectedLanguage(code: "de", probability: 0.1, share: 0.9),
        ]
        var options = TranscriptionOptions.reference
        options.multilingual = true
        var loop = SeekLoop(
            options: options, contentFrames: 15_000, tokenizer: tokenizer, language: "en", decoder: decoder)
        var segments: [TranscriptSegment] = []
        var languages: [String?] = []
        while let found = try loop.next() {
            segments += found
            languages.append(loop.language?.code)
        }
        #expect(segments.map(\.language) == ["en", "en", "fr", "fr", "de"])
        #expect(languages == ["en", "en", "fr", nil, "de"])
        #expect(decoder.calls.map(\.options.language) == segments.map(\.language))
        #expect(decoder.calls.map { $0.options.prompt.isEmpty } == [true, false, true, false, true])
        options.multilingual = false
        loop = SeekLoop(options: options, contentFrames: 3000, tokenizer: tokenizer, language: "en", decoder: decoder)
        #expect(try loop.next()?.map(\.language) == [nil] && loop.language == nil)
    }

    @Test("an empty prefix and empty hotwords are none")
    func emptyTexts() throws {
        let decoder = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " text", 30)) }
        var options = TranscriptionOptions.reference
        options.whisper.prefix = ""
        options.whisper.hotwords = ""
        _ = try run(options, frames: 3000, decoder: decoder)
        #expect(decoder.calls.map { $0.options.prefix + $0.options.hotwords } == [[]])
    }

    @Test("text decoded above a temperature does not prompt the next window", arguments: [0.5, 0.3])
    func promptReset(limit: Double) throws {
        let decoder = ScriptedWindowDecoder { index, call in
            .scripted(
                Self.ids(0, " text", 30), temperature: call.options.temperature,
                compressionRatio: call.options.temperature < 0.4 ? 3 : 1)
        }
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0, 0.4]
        options.whisper.promptResetTemperature = limit
        _ = try run(options, frames: 6000, decoder: decoder)
        #expect(decoder.calls.map(\.options.temperature) == [0, 0.4, 0, 0.4])
        #expect(decoder.calls.map { $0.options.prompt.isEmpty } == [true, true, limit < 0.4, limit < 0.4])
    }

    @Test("windows are as short as the chunk length, and ids can be the initial prompt")
    func chunkLength() throws {
        let decoder = ScriptedWindowDecoder { _, call in .scripted(Self.ids(0, " text", call.window.duration)) }
        var options = TranscriptionOptions.reference
        options.whisper.chunkLength = 12.5
        options.whisper.decoding.prompt = [7, 8]
        _ = try run(options, frames: 3000, decoder: decoder)
        #expect(decoder.calls.map(\.window.seek) == [0, 1250, 2500])
        #expect(decoder.calls.map(\.window.frames) == [1250, 1250, 500])
        #expect(decoder.calls[0].options.prompt == [7, 8] && decoder.calls[1].options.prompt.prefix(2) == [7, 8])
    }

    @Test("silence and retries are reported with their reasons")
    func events() throws {
        let decoder = ScriptedWindowDecoder { index, call in
            let tokens = Self.ids(0, " text", 30)
            return switch index {
            case 0: .scripted(tokens, compressionRatio: 3)
            case 1: .scripted(tokens, temperature: 0.2, avgLogprob: -1.5)
            case 2: .scripted(tokens, temperature: 0.4)
            default: .scripted(tokens, avgLogprob: -1.5, noSpeechProb: 0.75)
            }
        }
        let (segments, events) = try run(TranscriptionOptions.reference, frames: 4000, decoder: decoder)
        #expect(segments.map(\.temperature) == [0.4])
        #expect(
            events == [
                .retried(
                    DecodingRetry(failedTemperature: 0, temperature: 0.2, reason: .repetitive(compressionRatio: 3))),
                .retried(
                    DecodingRetry(failedTemperature: 0.2, temperature: 0.4, reason: .improbable(avgLogprob: -1.5))),
                .skipped(start: 30, end: 40, noSpeechProb: 0.75, avgLogprob: -1.5),
            ])
    }

    @Test("each segment has the log probabilities of its own tokens, if they are requested")
    func logprobs() throws {
        let tokens = Self.ids(0, " one", 1) + Self.ids(1, " ", 2) + Self.ids(2, " two three", 3)
        var options = TranscriptionOptions.reference
        options.tokenLogprobs = true
        var (segments, _) = try run(options, frames: 1000, decoder: ScriptedWindowDecoder { _, _ in .scripted(tokens) })
        // The scripted log probability of a token is its place in the window, negated; the second segment is blank.
        #expect(segments.map(\.tokenLogprobs) == [[0, -1, -2], [], [-6, -7, -8, -9]])
        options.tokenLogprobs = false
        (segments, _) = try run(options, frames: 1000, decoder: ScriptedWindowDecoder { _, _ in .scripted(tokens) })
        #expect(segments.map(\.tokenLogprobs) == [nil, nil, nil])
    }

    @Test("words timed for a feature do not move the windows; words that were requested do, as in openai-whisper")
    func windowsAndWords() throws {
        func starts(_ change: (inout TranscriptionOptions) -> Void) throws -> [Int] {
            // Its last timestamp is at 20 s, its last word ends at 12 s.
            let decoder = ScriptedWindowDecoder { index, _ in
                .scripted(Self.ids(0, " one", 20) + (index == 0 ? [Self.time + 1000] : []))
            } align: { _, asked in
                [WordTiming(word: " one", tokens: asked.textTokens, start: 0, end: 12, probability: 1)]
            }
            var options = TranscriptionOptions.reference
            change(&options)
            let segments = try run(options, frames: 4000, decoder: decoder).segments
            #expect(segments.allSatisfy { $0.words?.count == (options.wordTimestamps ? 1 : nil) })
            return decoder.calls.map(\.window.seek)
        }
        #expect(try starts { _ in } == [0, 2000])
        #expect(try starts { $0.timeWords() } == [0, 2000])
        #expect(try starts { $0.wordTimestamps = true } == [0, 1200])
        let both = try starts {
            $0.wordTimestamps = true
            $0.timeWords()
        }
        #expect(both == [0, 1200])
        let withRule = try starts {
            $0.whisper.hallucinationSilenceThreshold = 100
            $0.timeWords()
        }
        #expect(withRule.first == 0 && withRule != [0, 2000])
    }

    @Test("dropped hallucinations are reported")
    func hallucinationEvents() throws {
        func words(_ starts: [Double], _ tokens: [Int], probability: Double) -> [WordTiming] {
            zip(starts, tokens).map {
                WordTiming(word: " w", tokens: [$1], start: $0, end: $0 + 0.05, probability: probability)
            }
        }
        let ghost = Self.ids(0, " a b", 20)
        let leading = ScriptedWindowDecoder { index, _ in
            .scripted(index == 0 ? ghost : Self.ids(0, " good words", 2))
        } align: { index, asked in
            index == 0
                ? words([6, 6.05], asked.textTokens, probability: 0.05)
                : [WordTiming(word: " good words", tokens: asked.textTokens, start: 0, end: 1, probability: 1)]
        }
        var options = TranscriptionOptions.reference
        options.wordTimestamps = true
        options.whisper.hallucinationSilenceThreshold = 2
        var (segments, events) = try run(options, frames: 2000, decoder: leading)
        #expect(segments.map(\.text) == [" good words"])
        #expect(events == [.skippedLeadingSilence(start: 0, end: 6)])

        let inner = ScriptedWindowDecoder { index, _ in
            .scripted(index == 0 ? ghost : Self.ids(0, " good words", 2))
        } align: { index, asked in
            index == 0
                ? words([1, 1.05], asked.textTokens, probability: 0.05)
                : [WordTiming(word: " good words", tokens: asked.textTokens, start: 0, end: 1, probability: 1)]
        }
        (segments, events) = try run(options, frames: 400, decoder: inner)
        #expect(segments.map(\.text) == [" good words"])
        #expect(segments.map(\.id) == [0])
        #expect(inner.calls.map(\.window.seek) == [0, 100])
        #expect(events == [.droppedHallucination(start: 1, end: 1.1, text: " a b")])
    }

    @Test("a window that would be decoded forever is skipped")
    func noProgress() throws {
        var options = TranscriptionOptions.reference
        options.whisper.decoding.withoutTimestamps = true
        let stray = [Self.time] + Self.english.encode(" text") + [Self.time, Self.time]
        let decoder = ScriptedWindowDecoder { _, _ in .scripted(stray) }
        let (_, events) = try run(options, frames: 4000, decoder: decoder)
        #expect(decoder.calls.map(\.window.seek) == [0, 3000])
        #expect(events == [.noProgress(start: 0, end: 30), .noProgress(start: 30, end: 40)])
    }

    @Test("the loop goes on after an improbable word at the very start of its window")
    func smallGap() throws {
        var options = TranscriptionOptions.reference
        options.wordTimestamps = true
        options.whisper.hallucinationSilenceThreshold = -1
        let decoder = ScriptedWindowDecoder { _, _ in
            .scripted(Self.ids(0, " a", 20))
        } align: { _, asked in
            [WordTiming(word: " a", tokens: asked.textTokens, start: 0, end: 0.05, probability: 0.05)]
        }
        let (segments, events) = try run(options, frames: 300, decoder: decoder)
        #expect(decoder.calls.count == 3)
        #expect(segments.isEmpty && events.count == 3)
    }

    @Test("the first window gets the prefix, all windows get the hotwords")
    func prefixAndHotwords() throws {
        var options = TranscriptionOptions.reference
        options.whisper.prefix = " Dear all, "
        options.whisper.hotwords = "Ada"
        let decoder = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " text", 30)) }
        _ = try run(options, frames: 7000, decoder: decoder)
        #expect(decoder.calls.map(\.options.prefix) == [Self.english.encode(" Dear all,"), [], []])
        #expect(decoder.calls.map(\.options.hotwords) == Array(repeating: Self.english.encode(" Ada"), count: 3))
    }

    @Test("an empty recording is not decoded", arguments: [0, -5])
    func empty(frames: Int) throws {
        let decoder = ScriptedWindowDecoder { _, _ in .scripted([]) }
        #expect(try run(TranscriptionOptions.reference, frames: frames, decoder: decoder).segments.isEmpty)
        #expect(decoder.calls.isEmpty)
    }

    @Test("errors of the decoder are thrown, and the loop can continue after them")
    func errors() throws {
        struct Broken: Error {}
        final class Failing: WindowDecoder {
            var decodes = false
            var aligns = false
            func decode(_ window: WindowSpan, options: DecodingOptions) throws -> DecodingResult {
                guard decodes else { throw Broken() }
                return .scripted(SeekLoopTests.ids(0, " text", 1))
            }
            func logprobs(
                of tokens: [Int], from first: Int, in window: WindowSpan, options: DecodingOptions
            ) throws -> [Float] { throw Broken() }
            func detectLanguage(of window: WindowSpan, isDecoded: Bool) throws -> DetectedLanguage { throw Broken() }
            func align(_ window: WindowSpan, textTokens: [Int], language: String?, task: TranscriptionTask) throws
                -> [WordTiming]
            {
                guard aligns else { throw Broken() }
                return [WordTiming(word: " text", tokens: textTokens, start: 0, end: 1, probability: 1)]
            }
        }
        let decoder = Failing()
        var options = TranscriptionOptions.reference
        options.wordTimestamps = true
        var loop = SeekLoop(
            options: options, contentFrames: 100, tokenizer: Self.english, language: "en", decoder: decoder)
        #expect(throws: Broken.self) { try loop.next() }
        decoder.decodes = true
        #expect(throws: Broken.self) { try loop.next() }
        #expect(loop.position == 0)
        #expect(loop.text.isEmpty)
        decoder.aligns = true
        #expect(try loop.next()?.map(\.text) == [" text"])
        #expect(try loop.next() == nil)
        #expect(loop.text == " text")
    }
}
