import Testing

@Suite("Recordings with Parakeet's streaming models")
struct StreamingRecordingTests {
    private static let silence = [Float](repeating: 0, count: 24_000)

    private static func options() -> TranscriptionOptions {
        var options = TranscriptionOptions()
        options.wordTimestamps = true
        options.tokenLogprobs = true
        return options
    }

    /// The clip again and again, with pauses.
    private static func long(_ fixture: ParakeetFixture, _ count: Int = 12) throws -> [Float] {
        let clip = try fixture.samples
        return (0..<count).flatMap { _ in clip + silence }
    }

    @Test("words and their times equal the reference's", arguments: ParakeetFixture.streaming)
    func words(fixture: ParakeetFixture) async throws {
        let recognizer = Recognizer(try fixture.model()), result = try fixture.result.whole
        let transcript = try await recognizer.transcribe(SampleSource(fixture.samples), options: Self.options())
        try fixture.compareWords(transcript.segments.flatMap { $0.words ?? [] })
        #expect(transcript.segments.flatMap(\.tokens) == result.tokens && transcript.language == "en")
        #expect(transcript.text == transcript.segments.map(\.text).joined())
        for segment in transcript.segments { #expect(segment.tokenLogprobs?.count == segment.tokens.count) }
    }

    @Test("a long recording is one stream", arguments: ParakeetFixture.streaming)
    func long(fixture: ParakeetFixture) async throws {
        let model = try fixture.model(), samples = try Self.long(fixture)
        let recognizer = Recognizer(model)
        let transcript = try await recognizer.transcribe(SampleSource(samples), options: Self.options())
        let words = transcript.segments.flatMap { $0.words ?? [] }
        // The same audio in blocks of another length.
        let stream = try SpeechStreamWords(model).words(of: samples, block: 3000)
        #expect(words.map(\.word) == stream && words.count > 20)
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.end <= $1.start })
        // Of more than eight words in a frame, some take less than a hundredth of a second.
        #expect(words.allSatisfy { $0.start <= $0.end && $0.end <= transcript.duration })
        #expect(transcript.segments.allSatisfy { $0.start < $0.end })
        #expect(transcript.segments.map(\.id) == Array(0..<transcript.segments.count))
        let pauses = zip(transcript.segments, transcript.segments.dropFirst()).map { $1.start - $0.end }
        #expect(pauses.allSatisfy { $0 >= 0 })
        #expect(try await recognizer.transcribe(SampleSource(samples), options: Self.options()) == transcript)
    }

    @Test("channels hear what they would hear alone, in order", arguments: [true, false])
    func channels(isStreaming: Bool) async throws {
        let fixture = (isStreaming ? ParakeetFixture.streaming : ParakeetFixture.all)[0]
        let recognizer = Recognizer(try fixture.model()), long = try Self.long(fixture)
        let channels = [long, Array(Self.silence + long.dropFirst(8_000))]
        var alone: [[String]] = []
        for channel in channels {
            let transcript = try await recognizer.transcribe(SampleSource(channel), options: Self.options())
            alone.append(transcript.segments.map { "\($0.start) \($0.end) \($0.text)" })
        }
        let together = try await recognizer.transcribe(
            channels: channels.map { SampleSource($0) }, options: Self.options()
        ).segments
        for (channel, segments) in alone.enumerated() {
            let own = together.filter { $0.speaker == "speaker \(channel + 1)" }
            #expect(own.map { "\($0.start) \($0.end) \($0.text)" } == segments && segments.count > 3)
        }
        #expect(zip(together, together.dropFirst()).allSatisfy { $0.start <= $1.start })
    }

    @Test("a segment ends with its sentence, or after 30 seconds")
    func segmentEnds() throws {
        let segments = PieceSegments(0..<16_000_000, options: Self.options())
        func words(_ count: Int, last: String = "a") -> [ParakeetWord] {
            (0..<count).map {
                let text = $0 == count - 1 ? last : "a", start = Double(2 * $0)
                return ParakeetWord(text: text, tokens: [1], start: start, end: start + 1, logprobs: [0])
            }
        }
        #expect(segments.isEnded([]) && segments.isEnded(words(3, last: "a.")) && !segments.isEnded(words(3)))
        #expect(!segments.isEnded(words(180)) && segments.isEnded(words(200)))
    }

    @Test("clips are streams of their own, and so are chunks of a batch")
    func parts() async throws {
        let fixture = ParakeetFixture.streaming[0], recognizer = Recognizer(try fixture.model())
        // Clips begin and end with a frame.
        let clip = try Array(fixture.samples.prefix(39_200)), samples = (0..<3).flatMap { _ in clip + Self.silence }
        let start = Double(clip.count + Self.silence.count) / 16_000, length = Double(clip.count) / 16_000
        var options = Self.options()
        let alone = try await recognizer.transcribe(SampleSource(clip), options: options)
        options.clipTimestamps = [0, length, start, start + length]
        let both = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(both.text == alone.text + alone.text && !alone.text.isEmpty)
        options = Self.options()
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        options.batchSize = 4
        let batch = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(!batch.segments.isEmpty && batch.segments.allSatisfy { $0.end <= batch.duration })
    }

    @Test("silence, single samples and nothing give no text", arguments: [0, 1, 159, 320, 4_000, 400_000])
    func short(count: Int) async throws {
        let recognizer = Recognizer(try ParakeetFixture.streaming[1].model())
        let transcript = try await recognizer.transcribe(
            SampleSource([Float](repeating: 0, count: count)), options: Self.options())
        #expect(transcript.duration == AudioChunk.seconds(of: count) && transcript.language == "en")
        if count < 160 { #expect(transcript.segments.isEmpty) }
    }

    @Test("the language can be given, and changes what is heard")
    func language() async throws {
        let fixture = ParakeetFixture.streaming[1], recognizer = Recognizer(try fixture.model())
        let samples = try fixture.samples
        var texts: [String] = [], options = Self.options()
        for code in ["en", "de", "fr"] {
            options.language = code
            let transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
            #expect(transcript.language == code)
            texts.append(transcript.text)
        }
        #expect(Set(texts).count > 1)
        options.task = .translate
        await #expect(throws: UnusedOptionsError(names: ["task"], family: "Parakeet streaming")) {
            try await recognizer.transcribe(SampleSource([]), options: options)
        }
    }

    @Test("a tag names the language and is no text")
    func tags() throws {
        let vocabulary = try ParakeetFolder(ParakeetFixture.streaming[1].folder).vocabulary
        func language(of piece: String) -> String? {
            vocabulary.pieces.firstIndex(of: piece).flatMap {
                vocabulary.language(of: $0)
            }
        }
        #expect(["<en-US>", "<de-DE>", "<unk>", "ba"].map(language) == ["en", "de", nil, nil])
        let tag = try #require(vocabulary.pieces.firstIndex(of: "<fr-FR>"))
        #expect(vocabulary.text(of: [tag]).isEmpty)
        #expect(vocabulary.language(of: 999) == nil)
    }

    @Test("every round of a measurement decodes the same tokens", arguments: ParakeetFixture.streaming)
    func timer(fixture: ParakeetFixture) throws {
        let model = try fixture.model(), timer = try model.timer(of: fixture.samples, tokens: 7, beamSize: 1)
        for _ in 0..<2 {
            let times = try timer.measure(in: .elapsed)
            #expect(times.mel > .zero && times.encode > .zero && times.decode > .zero)
            #expect(try times.tokens == fixture.result.whole.tokens.count)
        }
    }
}

/// Words of a stream that gets its samples in blocks.
struct SpeechStreamWords {
    private let stream: SpeechStream

    init(_ model: ParakeetModel, lookahead: Int = 13) throws { stream = try SpeechStream(model, lookahead: lookahead) }

    func words(of samples: [Float], block: Int) throws -> [String] {
        stream.start(language: nil)
        var words: [String] = []
        for first in stride(from: 0, to: samples.count, by: block) {
            let end = min(first + block, samples.count)
            words += try stream.hear(Array(samples[first..<end]), isLast: end == samples.count).map { " " + $0.text }
        }
        return words
    }
}
