import Foundation
import TestSupport
import Testing

/// The measures of `--guard` on scripted windows: each prevents a failure that occurs without it.
@Suite("Guards")
struct GuardsTests {
    static let english = VocabularyFixture.english
    static let time = SpecialTokens(vocabularySize: 51_864).firstTimestamp

    static func ids(_ start: Double, _ text: String, _ end: Double) -> [Int] {
        [time + Int((start * 50).rounded())] + english.encode(text) + [time + Int((end * 50).rounded())]
    }

    struct Run {
        var segments: [TranscriptSegment] = []
        var events: [WindowEvent] = []
        var measures: [GuardMeasure] {
            events.compactMap { if case .guarded(let measure) = $0 { measure } else { nil } }
        }
    }

    /// - Parameters:
    ///   - speech: the speech in seconds; `nil` turns the guards off.
    static func run(
        _ options: TranscriptionOptions = TranscriptionOptions.reference, seconds: Double, speech: [Range<Double>]?,
        _ decoder: ScriptedWindowDecoder
    ) throws -> Run {
        var map = SpeechIntervals()
        for span in speech ?? [] {
            map.add([.opened(at: Int(span.lowerBound * 16_000)), .closed(at: Int(span.upperBound * 16_000))])
        }
        var loop = SeekLoop(
            options: options, contentFrames: Int(seconds * 100), tokenizer: english, language: "en", decoder: decoder,
            guards: speech.map { _ in Guards(speech: map, options: options) })
        var run = Run()
        while decoder.calls.count < 400, let found = try loop.next() {
            run.segments += found
            run.events += loop.events
        }
        return run
    }

    // MARK: Several languages

    @Test("a window ends where another language begins")
    func languages() throws {
        let decoder = ScriptedWindowDecoder { _, call in
            .scripted(Self.ids(0, " \(call.options.language ?? "")", call.window.duration))
        }
        let (english, french) = (
            DetectedLanguage(code: "en", probability: 0.9), DetectedLanguage(code: "fr", probability: 0.9)
        )
        // The words of 8.5 to 9 s are too few to show their language.
        decoder.languages = [0: english, 500: french, 900: english, 1000: french, 2000: english]
        var options = TranscriptionOptions.reference
        options.multilingual = true
        let run = try Self.run(options, seconds: 30, speech: [1..<4, 5..<8, 8.5..<9, 10..<18, 20..<30], decoder)
        #expect(run.segments.map(\.text) == [" en", " fr", " en"])
        #expect(run.segments.map(\.start) == [0, 5, 20] && run.segments.map(\.language) == ["en", "fr", "en"])
        #expect(decoder.calls.map(\.window.seek) == [0, 500, 2000])
    }

    // MARK: U1: prompt loops

    @Test("a model that repeats its prompt gets out of the loop", arguments: [true, false])
    func promptLoop(isGuarded: Bool) throws {
        let invented = Self.english.encode(" Thank")
        let decoder = ScriptedWindowDecoder { index, call in
            // Ten minutes of noise: the first window hallucinates a sentence, which the prompt then repeats.
            let text = index == 0 || call.options.prompt.contains(invented[0]) ? " Thank you." : " noise"
            return .scripted(Self.ids(0, text, 30))
        }
        let run = try Self.run(seconds: 600, speech: isGuarded ? [0..<600] : nil, decoder)
        let repeated = run.segments.filter { $0.text == " Thank you." }.count
        #expect(run.segments.count == 20)
        #expect(repeated == (isGuarded ? 3 : 20))
        #expect(run.measures.first == (isGuarded ? .promptCleared(text: " Thank you.") : nil))
    }

    @Test("a window that repeats itself six times is decoded again")
    func looping() throws {
        let decoder = ScriptedWindowDecoder { _, call in
            let text = call.options.temperature < 0.4 ? " you you you you you you you" : " good words"
            return .scripted(Self.ids(0, text, 30), temperature: call.options.temperature)
        }
        let run = try Self.run(seconds: 30, speech: [0..<30], decoder)
        #expect(run.segments.map(\.text) == [" good words"])
        #expect(
            run.events == [
                .retried(DecodingRetry(failedTemperature: 0, temperature: 0.2, reason: .looping(times: 7))),
                .retried(DecodingRetry(failedTemperature: 0.2, temperature: 0.4, reason: .looping(times: 7))),
            ])
    }

    // MARK: Special tokens

    @Test("no special token stands in a text", arguments: [true, false])
    func specialTokens(isGuarded: Bool) throws {
        let tokenizer = VocabularyFixture.multilingual100
        let special = tokenizer.special
        for id in [Int](special.endOfText..<special.firstTimestamp) {
            let tokens = [special.firstTimestamp, id] + tokenizer.encode(" Ja") + [id, special.firstTimestamp + 50]
            let decoder = ScriptedWindowDecoder { _, _ in .scripted(tokens) }
            var speech = SpeechIntervals()
            speech.add([.opened(at: 0), .closed(at: 32_000)])
            let options = TranscriptionOptions.reference
            var loop = SeekLoop(
                options: options, contentFrames: 200, tokenizer: tokenizer, language: "de", decoder: decoder,
                guards: isGuarded ? Guards(speech: speech, options: options) : nil)
            #expect(try loop.next()?.map(\.text) == [" Ja"])
            #expect(loop.text == " Ja")
            #expect(tokenizer.text(of: tokens) == " Ja")
        }
    }

    // MARK: U3: silent ends

    @Test("the rest of a recording or clip without speech is not decoded")
    func tail() throws {
        let decoder = ScriptedWindowDecoder { index, _ in
            .scripted(Self.ids(0, index == 0 ? " words" : " Thanks for watching!", index == 0 ? 20 : 2))
        }
        let run = try Self.run(seconds: 34, speech: [1..<20], decoder)
        #expect(run.segments.map(\.text) == [" words"])
        #expect(run.measures == [.noSpeech(start: 30, end: 34)])
        let free = ScriptedWindowDecoder { index, _ in
            .scripted(Self.ids(0, index == 0 ? " words" : " Thanks for watching!", index == 0 ? 20 : 2))
        }
        #expect(try Self.run(seconds: 34, speech: nil, free).segments.count == 2)

        var options = TranscriptionOptions.reference
        options.clipTimestamps = [0, 10, 20, 30]
        let clips = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " words", 10)) }
        let clipped = try Self.run(options, seconds: 34, speech: [22..<28], clips)
        #expect(clips.calls.map(\.window.seek) == [2000])
        #expect(clipped.measures == [.noSpeech(start: 0, end: 10)])
    }

    @Test("three seconds without speech are skipped, up to a second before the next speech")
    func gap() throws {
        func decoder() -> ScriptedWindowDecoder {
            ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " words", 10)) }
        }
        let long = decoder()
        let run = try Self.run(seconds: 200, speech: [0..<10.5, 95..<104], long)
        #expect(long.calls.map(\.window.seek) == [0, 9400])
        #expect(run.segments.map(\.start) == [0, 94])
        #expect(run.measures == [.noSpeech(start: 30, end: 94), .noSpeech(start: 124, end: 200)])
        let short = decoder()
        #expect(try Self.run(seconds: 60, speech: [0..<10.5, 32.99..<40.5], short).measures == [])
        #expect(short.calls.map(\.window.seek) == [0, 3000])
        let start = decoder()
        #expect(try Self.run(seconds: 12, speech: [3..<12], start).measures == [.noSpeech(start: 0, end: 2)])
    }

    @Test("segments more than a second away from speech are dropped, and do not prompt the next window")
    func invention() throws {
        func decoder() -> ScriptedWindowDecoder {
            ScriptedWindowDecoder { index, _ in
                .scripted(
                    index == 0
                        ? Self.ids(0, " words", 10) + Self.ids(10.8, " more", 12) + Self.ids(14, " Thank you.", 30)
                        : Self.ids(0, " end", 20))
            }
        }
        let guarded = decoder()
        let run = try Self.run(seconds: 60, speech: [0..<10, 40..<59.5], guarded)
        #expect(run.segments.map(\.text) == [" words", " more", " end"])
        #expect(
            run.measures == [
                .inventionDropped(start: 14, end: 30, text: " Thank you."), .noSpeech(start: 30, end: 39),
            ])
        let prompt = try #require(guarded.calls.last).options.prompt
        #expect(prompt == Self.ids(0, " words", 10) + Self.ids(10.8, " more", 12))
        #expect(try Self.run(seconds: 60, speech: nil, decoder()).segments.count == 4)
    }

    @Test("where there is hardly any speech, the model must be sure of a segment", arguments: [-0.6, -0.8])
    func unsure(avgLogprob: Double) throws {
        let decoder = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " Thank you.", 28), avgLogprob: avgLogprob)
        }
        #expect(try Self.run(seconds: 30, speech: [12..<12.9], decoder).segments.count == (avgLogprob > -0.7 ? 1 : 0))
        #expect(try Self.run(seconds: 30, speech: [12..<13.1], decoder).segments.count == 1)
    }

    @Test("a sentence is repeated only where there is enough speech to say it again")
    func echo() throws {
        func texts(_ speech: Range<Double>) throws -> [String] {
            let decoder = ScriptedWindowDecoder { _, _ in
                .scripted(
                    Self.ids(0, " Press nine for more entries.", 2) + Self.ids(2, " Please wait.", 3)
                        + Self.ids(3, " Press nine for more entries!", 9))
            }
            return try Self.run(seconds: 10, speech: [speech], decoder).segments.map(\.text)
        }
        #expect(try texts(0..<3.2) == [" Press nine for more entries.", " Please wait."])
        #expect(try texts(0..<4).count == 3)
    }

    @Test("a sentence that is spoken only after a pause is left to the next window", arguments: [true, false])
    func misplaced(isGuarded: Bool) throws {
        func run(_ speech: [Range<Double>]) throws -> Run {
            let decoder = ScriptedWindowDecoder { index, _ in
                .scripted(
                    index == 0
                        ? Self.ids(0, " The line is busy.", 2) + Self.ids(2, " Please try again later.", 6)
                        : Self.ids(0, " Please try again later.", 4))
            }
            return try Self.run(seconds: 40, speech: isGuarded ? speech : nil, decoder)
        }
        let all = try run([0..<2.2, 27..<31])
        #expect(all.segments.map(\.start) == (isGuarded ? [0, 26] : [0, 2, 30]))
        #expect(
            all.measures.first
                == (isGuarded ? .misplacedDropped(start: 2, end: 6, text: " Please try again later.") : nil))
        guard isGuarded else { return }
        // It fits the speech at its times; nothing is spoken later in the window, or too little for it, or without a pause.
        #expect(try run([0..<3, 27..<31]).segments.map(\.start) == [0, 2, 26])
        #expect(try run([0..<2.2, 31..<35]).segments.map(\.start) == [0, 2, 30])
        #expect(try run([0..<2.2, 29.8..<35]).segments.map(\.start).prefix(2) == [0, 2])
        #expect(try run([0..<2.2, 8.9..<12]).segments.map(\.start).prefix(2) == [0, 2])
    }

    @Test("a sentence left to the next window is heard there even if a hallucination after it is dropped")
    func misplacedBeforeHallucination() throws {
        var options = TranscriptionOptions.reference
        options.wordTimestamps = true
        options.whisper.hallucinationSilenceThreshold = 2
        let decoder = ScriptedWindowDecoder { index, _ in
            .scripted(
                index == 0
                    ? Self.ids(0, " The line is busy.", 2) + Self.ids(2, " Please try again later.", 6)
                        + Self.ids(20, " you", 21) + Self.ids(24, " you", 25)
                    : Self.ids(4, " Please try again later.", 8))
        } align: { index, asked in
            let texts =
                index == 0
                ? [
                    (" The line is busy.", 0.0, 1.0), (" Please try again later.", 2, 1), (" you", 20, 0.01),
                    (" you", 24, 0.01),
                ]
                : [(" Please try again later.", 4, 1)]
            return texts.map { text, start, probability in
                WordTiming(
                    word: text, tokens: Self.english.encode(text), start: asked.window.start + start,
                    end: asked.window.start + start + (probability < 0.5 ? 0.05 : 1.5), probability: probability)
            }
        }
        let run = try Self.run(options, seconds: 30, speech: [0..<2.2, 10..<14], decoder)
        #expect(run.events.contains(.droppedHallucination(start: 20, end: 20.05, text: " you")))
        #expect(run.measures.first == .misplacedDropped(start: 2, end: 3.5, text: " Please try again later."))
        #expect(run.segments.map(\.text) == [" The line is busy.", " Please try again later."])
        #expect(decoder.calls[1].window.seek < 1000)
    }

    // MARK: U7: skipped speech

    @Test("without timestamps the next window starts after the last word")
    func lastWord() throws {
        var options = TranscriptionOptions.reference
        options.whisper.decoding.withoutTimestamps = true
        let decoder = ScriptedWindowDecoder { index, _ in
            .scripted(Self.english.encode(index == 0 ? " first words" : " second words"))
        } align: { index, asked in
            let end = index == 0 ? 21.5 : 8
            return [
                WordTiming(word: " a", tokens: [asked.textTokens[0]], start: 0.5, end: 1, probability: 0.9),
                WordTiming(
                    word: " words", tokens: Array(asked.textTokens.dropFirst()), start: end - 1, end: end,
                    probability: 0.9),
            ]
        }
        let run = try Self.run(options, seconds: 34, speech: [0..<29.5], decoder)
        #expect(decoder.calls.map(\.window.seek) == [0, 2150])
        #expect(run.segments.map(\.text) == [" first words", " second words"])
        #expect(run.segments.allSatisfy { $0.words == nil })
        // After the last word of the second window there is no speech that needs a window of its own.
        #expect(run.measures == [.continuedAfterLastWord(at: 21.5)])
    }

    @Test("a window classified as silence that contains speech is decoded again once per temperature")
    func skipped() throws {
        func decoder(goodFrom temperature: Double) -> ScriptedWindowDecoder {
            ScriptedWindowDecoder { _, call in
                let isGood = call.options.temperature >= temperature
                return .scripted(
                    Self.ids(0, " words", 30), temperature: call.options.temperature,
                    avgLogprob: isGood ? -0.3 : -1.5, noSpeechProb: 0.8)
            }
        }
        let retried = decoder(goodFrom: 0.4)
        let run = try Self.run(seconds: 30, speech: [2..<17], retried)
        #expect(run.segments.map(\.temperature) == [0.4])
        #expect(
            run.events == [
                .retried(DecodingRetry(failedTemperature: 0, temperature: 0.2, reason: .speechDetected(share: 0.5))),
                .retried(DecodingRetry(failedTemperature: 0.2, temperature: 0.4, reason: .speechDetected(share: 0.5))),
            ])
        let hopeless = decoder(goodFrom: 2)
        #expect(try Self.run(seconds: 30, speech: [0..<30], hopeless).segments.isEmpty)
        #expect(hopeless.calls.map(\.options.temperature) == [0, 0.2, 0.4, 0.6, 0.8, 1])
        let quiet = decoder(goodFrom: 0.2)
        #expect(try Self.run(seconds: 30, speech: [2..<16], quiet).segments.isEmpty)
        let short = decoder(goodFrom: 0.2)
        #expect(try Self.run(seconds: 0.9, speech: [0..<0.9], short).segments.isEmpty)
        let off = decoder(goodFrom: 0.2)
        #expect(try Self.run(seconds: 30, speech: nil, off).segments.isEmpty)
    }

    @Test("the next window starts where the text ended if three seconds of speech follow, but not twice in a row")
    func missedSpeech() throws {
        func decoder() -> ScriptedWindowDecoder {
            ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, " words", 5)) }
        }
        let missed = decoder()
        let run = try Self.run(seconds: 35, speech: [0..<35], missed)
        // What follows the second text is decoded on its own, and only repeats it.
        #expect(missed.calls.map(\.window.seek) == [0, 500, 1000])
        #expect(missed.calls[1].options.prompt.isEmpty)
        #expect(run.measures == [.continuedAfterLastWord(at: 5)])
        let silent = decoder()
        #expect(try Self.run(seconds: 60, speech: [0..<8.9, 31..<35.5], silent).measures == [])
        // Less than three seconds are decoded alone.
        #expect(silent.calls.map(\.window.seek) == [0, 500, 3000])
        let off = decoder()
        #expect(try Self.run(seconds: 60, speech: nil, off).segments.map(\.start) == [0, 30])
    }

    @Test("a window classified as silence stays silent if higher temperatures only repeat themselves")
    func repetitiveRetries() throws {
        let decoder = ScriptedWindowDecoder { _, call in
            let isFirst = call.options.temperature == 0
            let text = isFirst ? " beep" : Array(repeating: " beep", count: TextThresholds.repetitions).joined()
            return .scripted(
                Self.ids(0, text, 2), temperature: call.options.temperature, avgLogprob: isFirst ? -1.5 : -0.3,
                noSpeechProb: 0.8)
        }
        let run = try Self.run(seconds: 2, speech: [0..<2], decoder)
        #expect(run.segments.isEmpty)
        #expect(decoder.calls.map(\.options.temperature) == [0, 0.2, 0.4, 0.6, 0.8, 1])
        #expect(
            run.events.contains(
                .retried(DecodingRetry(failedTemperature: 0.2, temperature: 0.4, reason: .looping(times: 6)))))
    }

    // MARK: U12: times after the end

    @Test("times after the end of the recording are limited to it without losing text")
    func clamped() throws {
        let decoder = ScriptedWindowDecoder { _, _ in
            .scripted(Self.ids(0, " one", 4) + Self.ids(4, " two", 9) + Self.ids(9, " three", 12))
        }
        let run = try Self.run(seconds: 5, speech: [0..<5], decoder)
        #expect(run.segments.map(\.text) == [" one", " two", " three"])
        #expect(run.segments.map(\.start) == [0, 4, 4.98])
        #expect(run.segments.map(\.end) == [4, 5, 5])
        #expect(run.measures == [.timesClamped(2)])
    }

    // MARK: U13: words of zero length

    @Test("a word lasts at least 20 ms if its neighbors leave room")
    func shortWords() throws {
        var options = TranscriptionOptions.reference
        options.wordTimestamps = true
        // The second word has room after it, the fourth only before it.
        let times = [(0.0, 1.0), (1.0, 1.0), (2.0, 2.5), (3.0, 3.0)]
        let decoder = ScriptedWindowDecoder { _, _ in
            .scripted(Self.ids(0, " a b c d", 3))
        } align: { _, asked in
            zip(asked.textTokens, times).map {
                WordTiming(word: " w", tokens: [$0], start: $1.0, end: $1.1, probability: 0.9)
            }
        }
        let run = try Self.run(options, seconds: 3, speech: [0..<3], decoder)
        let words = run.segments.flatMap { $0.words ?? [] }
        #expect(words.map(\.start) == [0, 1, 2, 2.98])
        #expect(words.map(\.end) == [1, 1.02, 2.5, 3])
        #expect(run.measures == [.wordsLengthened(2)])
        let tight = ScriptedWindowDecoder { _, _ in
            .scripted(Self.ids(0, " a b c", 3))
        } align: { _, asked in
            zip(asked.textTokens, [(0.0, 1.0), (1.0, 1.0), (1.0, 3.0)]).map {
                WordTiming(word: " w", tokens: [$0], start: $1.0, end: $1.1, probability: 0.9)
            }
        }
        #expect(try Self.run(options, seconds: 3, speech: [0..<3], tight).measures == [])
    }

    // MARK: U26: repeated prompts

    @Test("a segment that repeats the prompt where there is hardly any speech is dropped")
    func prompt() throws {
        var options = TranscriptionOptions.reference
        options.whisper.initialPrompt = "Glossary: Ada, Grace."
        func measures(_ text: String, noSpeech: Double, _ speech: [Range<Double>]) throws -> [GuardMeasure] {
            let decoder = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, text, 10), noSpeechProb: noSpeech) }
            return try Self.run(options, seconds: 10, speech: speech, decoder).measures
        }
        let dropped = GuardMeasure.promptDropped(start: 0, end: 10, text: " Glossary, Ada, Grace")
        #expect(try measures(" Glossary, Ada, Grace", noSpeech: 0.1, [0..<2]) == [dropped])
        #expect(try measures(" Glossary, Ada, Grace", noSpeech: 0.7, [0..<9]) == [dropped])
        #expect(try measures(" Glossary, Ada, Grace", noSpeech: 0.1, [0..<9]) == [])
        #expect(try measures(" Glossary, Ada, Grace, Alan", noSpeech: 0.7, [0..<2]) == [])
    }

    @Test("a dropped segment affects neither ids, text nor the next prompt")
    func dropped() throws {
        var options = TranscriptionOptions.reference
        options.whisper.initialPrompt = "Names."
        let decoder = ScriptedWindowDecoder { index, _ in
            .scripted(Self.ids(0, index == 0 ? " Names." : " words", 30), noSpeechProb: 0.7)
        }
        let run = try Self.run(options, seconds: 60, speech: [0..<60], decoder)
        #expect(run.segments.map(\.text) == [" words"])
        #expect(run.segments.map(\.id) == [0])
        #expect(decoder.calls[1].options.prompt == Self.english.encode(" Names."))
    }

    // MARK: U11: drift

    @Test("times do not drift: clicks every 10 s over three hours are found exactly")
    func noDrift() throws {
        // The model transcribes each click of its window and ends at an odd time, so that windows start anywhere.
        let decoder = ScriptedWindowDecoder { index, call in
            let start = call.window.seek, end = start + call.window.frames
            var tokens: [Int] = []
            for click in stride(from: (start + 999) / 1000 * 1000, to: end - 4, by: 1000) {
                // Timestamps are 20 ms apart, and windows start at multiples of that.
                let at = Double(click - start) / 100
                tokens += Self.ids(at, " click", at + 0.04)
            }
            if tokens.isEmpty { return .scripted(Self.ids(0, " quiet", Double(call.window.frames) / 100)) }
            // A single last timestamp would end the whole window; after a pair the next one starts there.
            return .scripted(tokens + [tokens[tokens.count - 1], Self.time + 1500 - index % 40])
        }
        var clicks: [Double] = []
        var loop = SeekLoop(
            options: TranscriptionOptions.reference, contentFrames: 3 * 3600 * 100, tokenizer: Self.english,
            language: "en",
            decoder: decoder)
        while let found = try loop.next() {
            clicks += found.filter { $0.text == " click" }.map(\.start)
        }
        #expect(clicks.count == 1080)
        for (index, click) in clicks.enumerated() { #expect(abs(click - Double(index) * 10) < 1e-6) }
        #expect(Set(decoder.calls.map { $0.window.seek % 3000 }).count > 3)
    }
}
