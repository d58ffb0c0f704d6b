import Testing

@Suite("Recordings with Parakeet")
struct ParakeetRecordingTests {
    private static func recognizer(_ fixture: ParakeetFixture) throws -> Recognizer { Recognizer(try fixture.model()) }

    /// Everything is heard, with words and log probabilities.
    private static func options(guards: Bool = false) -> TranscriptionOptions {
        var options = TranscriptionOptions()
        options.wordTimestamps = true
        options.tokenLogprobs = true
        options.guards = guards
        return options
    }

    @Test("words and their times equal the reference's", arguments: ParakeetFixture.all)
    func words(fixture: ParakeetFixture) async throws {
        let samples = try fixture.samples, result = try fixture.result.whole
        // A clip without silence at its ends is one piece.
        let batch = try fixture.model().batch(slots: 1, options: Self.options())
        let store = SampleStore()
        try store.append(samples)
        let chunk = RecordingChunk(speech: KeptAudio([0..<samples.count]))
        let decoded = try batch.decode(chunk, of: store, slot: 0, options: Self.options(), language: "en")
        let segments = decoded.window.segments, words = segments.flatMap { $0.words ?? [] }
        try fixture.compareWords(words)
        #expect(segments.flatMap(\.tokens) == result.tokens)
        #expect(decoded.text == " " + result.text && words.allSatisfy { $0.word.hasPrefix(" ") })
        for segment in segments {
            let logprobs = try #require(segment.tokenLogprobs)
            #expect(logprobs.count == segment.tokens.count)
            #expect(abs(segment.avgLogprob - logprobs.reduce(0, +) / Double(logprobs.count)) < 1e-9)
        }
    }

    @Test("a long recording is heard piece by piece, in order", arguments: [false, true])
    func long(guards: Bool) async throws {
        let fixture = ParakeetFixture.all[0], clip = try fixture.samples
        var samples: [Float] = []
        for _ in 0..<20 { samples += clip + [Float](repeating: 0, count: 24_000) }
        let recognizer = try Self.recognizer(fixture), options = Self.options(guards: guards)
        let transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
        let words = transcript.segments.flatMap { $0.words ?? [] }
        #expect(words.count > 40 && transcript.duration == AudioChunk.seconds(of: samples.count))
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.start <= $1.start && $0.end <= $1.end + 0.32 })
        #expect(transcript.segments.map(\.id) == Array(0..<transcript.segments.count))
        #expect(transcript.text == transcript.segments.map(\.text).joined())
        // What is heard of a clip depends on nothing else in the recording, if it is a piece of its own.
        let again = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(again == transcript)
    }

    @Test("clips, offset and duration choose what is heard")
    func parts() async throws {
        let fixture = ParakeetFixture.all[0], clip = try fixture.samples
        let silence = [Float](repeating: 0, count: 48_000), samples = clip + silence + clip + silence + clip
        let second = Double(clip.count + silence.count) / 16_000, recognizer = try Self.recognizer(fixture)
        var options = Self.options(guards: true)
        options.clipTimestamps = [second - 0.5, second + 2.4]
        let one = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(!one.segments.isEmpty)
        #expect(one.segments.allSatisfy { $0.start >= second - 0.5 && $0.end <= second + 2.41 })
        options.clipTimestamps = []
        options.offset = second - 0.5
        options.duration = 2.9
        let other = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(!other.segments.isEmpty)
        #expect(other.segments.allSatisfy { $0.start >= second - 0.5 && $0.end <= second + 2.41 })
    }

    @Test("silence, single samples and nothing give no text", arguments: [0, 1, 159, 319, 320, 4_000, 80_000])
    func short(count: Int) async throws {
        let recognizer = try Self.recognizer(ParakeetFixture.all[0])
        let transcript = try await recognizer.transcribe(
            SampleSource([Float](repeating: 0, count: count)), options: Self.options(guards: true))
        #expect(transcript.segments.isEmpty && transcript.language == "en")
        let samples = try ParakeetFixture.all[0].samples.suffix(count)
        _ = try await recognizer.transcribe(SampleSource(Array(samples)), options: Self.options())
    }

    @Test("batches hear the same words")
    func batches() async throws {
        let fixture = ParakeetFixture.all[1], clip = try fixture.samples
        var samples: [Float] = []
        for _ in 0..<5 { samples += clip + [Float](repeating: 0, count: 48_000) }
        var options = Self.options()
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        let recognizer = try Self.recognizer(fixture)
        options.batchSize = 1
        let one = try await recognizer.transcribe(SampleSource(samples), options: options)
        options.batchSize = 4
        let several = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(!one.segments.isEmpty && !several.segments.isEmpty)
        #expect(several.segments.flatMap { $0.words ?? [] }.allSatisfy { $0.end <= several.duration })
    }

    @Test("options that it cannot use are refused")
    func unusedOptions() async throws {
        let recognizer = try Self.recognizer(ParakeetFixture.all[0])
        #expect(recognizer.model.traits.languages.map(\.code) == ["en", "de", "es", "fr"])
        func names(_ change: (inout TranscriptionOptions) -> Void) async throws -> [String] {
            var options = TranscriptionOptions()
            change(&options)
            do {
                _ = try await recognizer.transcribe(SampleSource([]), options: options)
                return []
            } catch let error as UnusedOptionsError {
                #expect(error.family == "Parakeet")
                return error.names
            }
        }
        #expect(try await names { $0.task = .translate } == ["task"])
        #expect(try await names { $0.whisper.initialPrompt = "Hm." } == ["initialPrompt"])
        #expect(try await names { $0.beamSize = 3 }.isEmpty)
        #expect(try await names { $0.wordTimestamps = true }.isEmpty)
    }

    @Test("a language that is given is that of the transcript, and changes nothing else")
    func language() async throws {
        let recognizer = try Self.recognizer(ParakeetFixture.all[0]), samples = try ParakeetFixture.all[0].samples
        var options = Self.options()
        let found = try await recognizer.transcribe(SampleSource(samples), options: options)
        options.language = "de"
        let given = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(given.segments == found.segments && found.language == "en" && given.language == "de")
        options.language = nil
        options.languages = ["ja", "yue"]
        await #expect(throws: Language.LookupError.notInVocabulary(code: "ja", name: "japanese", languages: 4)) {
            try await recognizer.transcribe(SampleSource(samples), options: options)
        }
        options.languages = ["xx"]
        await #expect(throws: Language.LookupError.unknown(language: "xx", nearest: nil)) {
            try await recognizer.transcribe(SampleSource(samples), options: options)
        }
    }

    @Test("each segment has the language of its piece, as far as its text shows it", arguments: [1, 4])
    func multilingual(batchSize: Int) async throws {
        let recognizer = try Self.recognizer(ParakeetFixture.all[0]), samples = try ParakeetFixture.all[0].samples
        var options = Self.options()
        options.voiceActivity = batchSize > 1 ? VoiceActivityOptions(detector: .energy) : nil
        options.batchSize = batchSize
        let one = try await recognizer.transcribe(SampleSource(samples), options: options)
        options.multilingual = true
        let mixed = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(!mixed.segments.isEmpty && mixed.text == one.text && mixed.language == "en")
        #expect(one.segments.allSatisfy { $0.language == nil } && mixed.segments.allSatisfy { $0.language == "en" })
    }

    @Test("beams are those of the options, one unless they are given", arguments: ParakeetFixture.all)
    func beams(fixture: ParakeetFixture) async throws {
        let recognizer = try Self.recognizer(fixture), samples = try fixture.samples
        var texts: [String] = []
        for size in [nil, 1, 8] {
            var options = Self.options()
            options.beamSize = size
            if fixture.name == "ctc", size == 8 {
                await #expect(throws: UnusedOptionsError(names: ["beamSize"], family: "Parakeet CTC")) {
                    try await recognizer.transcribe(SampleSource(samples), options: options)
                }
            } else {
                texts.append(try await recognizer.transcribe(SampleSource(samples), options: options).text)
            }
        }
        #expect(!texts[0].isEmpty && texts[0] == texts[1] && (texts.count < 3 || texts[2] != texts[0]))
    }

    @Test("a live session hears the words of the recording")
    func live() throws {
        let fixture = ParakeetFixture.all[0], model = try fixture.model(), samples = try fixture.samples
        let decoder = model.liveDecoder(StreamingOptions(), cancellation: CancellationFlag())
        var request = LiveRequest(range: 8_000..<(8_000 + samples.count), samples: samples)
        request.isClosing = true
        let pass = try decoder.decode(request), expected = try fixture.result.whole.words
        #expect(pass.words.map(\.text) == expected.map { " " + $0.text })
        #expect(pass.words.map(\.start) == expected.map { 8_000 + Int(($0.start * 16_000).rounded()) })
        request.forced = Array(pass.words.prefix(2))
        #expect(try decoder.decode(request).words.map(\.text) == pass.words.dropFirst(2).map(\.text))
        #expect(
            try decoder.transcribe(samples).flatMap { $0.words ?? [] }.map(\.word) == expected.map { " " + $0.text })
    }
}

@Suite("The language of a text")
struct TextLanguageTests {
    static let texts = [
        "en": "This is the house that we have seen, and it was not for you.",
        "de": "Das ist nicht der Mann, den wir gestern auf dem Markt gesehen haben, und sie auch.",
        "fr": "Je ne sais pas ce que vous avez vu dans les rues de la ville, mais elle est belle.",
        "es": "No es lo que yo quería, pero está bien para los niños y las niñas.",
        "ru": "Я не знаю, что он сказал, но это было не так.",
        "uk": "Я не знаю, що він сказав, але це було не так.",
        "el": "Δεν είναι αυτό που θα ήθελα να πω για την πόλη μου.",
        "pl": "Nie wiem, co to jest, ale już nie ma czasu na to.",
    ]
    @Test("is that of its frequent words", arguments: texts.keys.sorted())
    func found(code: String) throws {
        let found = try #require(TextLanguage(of: Self.texts[code] ?? "", among: Self.texts.keys.sorted()))
        #expect(found.code == code && found.probability > 0.5 && found.probability <= 1)
    }

    @Test("is unknown if there are few words, or none that are frequent")
    func unknown() {
        #expect(TextLanguage(of: "", among: ["en", "de"]) == nil)
        #expect(TextLanguage(of: "the house", among: ["en", "de"]) == nil)
        #expect(TextLanguage(of: "mezo qde6ti i Hmemu", among: ["en", "de"]) == nil)
    }
}
