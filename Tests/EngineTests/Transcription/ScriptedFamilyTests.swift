import Testing

/// Recordings transcribed by a model that has nothing in common with Whisper.
@Suite("A second family of models")
struct ScriptedFamilyTests {
    private static func timedWords(_ transcript: Transcript) -> [TranscriptWord] {
        transcript.segments.flatMap { $0.words ?? [] }
    }

    @Test("all words are heard once, at their times, whatever the length of the model's windows")
    func recordings() async throws {
        let recording = ScriptedFixture.Recording(count: 60)
        let recognizer = try ScriptedFixture.recognizer()
        var options = TranscriptionOptions.openAIWhisper
        options.wordTimestamps = true
        for guards in [false, true] {
            options.guards = guards
            let transcript = try await recognizer.transcribe(recording.source, options: options)
            #expect(transcript.text == recording.text && transcript.language == "de")
            #expect(transcript.segments.map(\.text).joined() == recording.text)
            #expect(Self.timedWords(transcript).map(\.start) == recording.words.map(\.seconds.lowerBound))
            #expect(Self.timedWords(transcript).map(\.end) == recording.words.map(\.seconds.upperBound))
            #expect(transcript.segments.count > 3)
        }
    }

    @Test("a language is detected only if there are several and none is given")
    func languages() async throws {
        let english = ScriptedFixture.Recording(count: 3, first: 1).source
        var found: [String] = []
        for (languages, given) in [(["de", "en"], nil), (["de", "en"], "de"), (["de"], nil)] as [([String], String?)] {
            var options = TranscriptionOptions.openAIWhisper
            options.language = given
            let log = UpdateLog()
            let transcript = try await ScriptedFixture.recognizer(languages: languages)
                .transcribe(english, options: options, updates: { log.add($0) })
            found.append(transcript.language)
            #expect(log.all.contains { if case .language = $0 { true } else { false } } == (found.count == 1))
        }
        #expect(found == ["en", "de", "de"])
    }

    @Test("offset, duration, clips and the speech filter choose the same words as for any model")
    func parts() async throws {
        let recording = ScriptedFixture.Recording(count: 40)
        let recognizer = try ScriptedFixture.recognizer()
        func words(_ change: (inout TranscriptionOptions) -> Void) async throws -> [TranscriptWord] {
            var options = TranscriptionOptions.openAIWhisper
            options.wordTimestamps = true
            change(&options)
            return Self.timedWords(try await recognizer.transcribe(recording.source, options: options))
        }
        func expected(_ range: Range<Double>) -> [Double] {
            recording.words.map(\.seconds).filter { range.contains($0.lowerBound) && range.contains($0.upperBound) }
                .map(\.lowerBound)
        }
        // At the ends of words, so that none is cut.
        let from = recording.words[11].seconds.lowerBound - 0.05, to = recording.words[25].seconds.upperBound + 0.05
        #expect(
            try await words {
                $0.offset = from
                $0.duration = to - from
            }.map(\.start) == expected(from..<to))
        #expect(try await words { $0.clipTimestamps = [from, to] }.map(\.start) == expected(from..<to))
        let spoken = try await words { $0.voiceActivity = VoiceActivityOptions() }
        #expect(spoken.map(\.word) == recording.words.map { " w\($0.index)" })
        for (word, planted) in zip(spoken, recording.words) {
            #expect(abs(word.start - planted.seconds.lowerBound) < 0.02)
            #expect(abs(word.end - planted.seconds.upperBound) < 0.02)
        }
    }

    @Test("batches and channels")
    func batches() async throws {
        let recording = ScriptedFixture.Recording(count: 60), other = ScriptedFixture.Recording(count: 30, first: 7)
        let recognizer = try ScriptedFixture.recognizer()
        var options = TranscriptionOptions.openAIWhisper
        options.wordTimestamps = true
        options.voiceActivity = VoiceActivityOptions()
        options.batchSize = 4
        let batched = try await recognizer.transcribe(recording.source, options: options)
        #expect(batched.text == recording.text)
        #expect(batched.segments.allSatisfy { $0.end - $0.start <= ScriptedModel.window })
        for (word, planted) in zip(Self.timedWords(batched), recording.words) {
            #expect(abs(word.start - planted.seconds.lowerBound) < 0.02)
        }
        for size in [1, 4] {
            options.batchSize = size
            let channels = try await recognizer.transcribe(
                channels: [recording.source, other.source], speakers: ["A", "B"], options: options)
            for (name, planted, language) in [("A", recording, "de"), ("B", other, "en")] {
                let own = channels.segments.filter { $0.speaker == name }
                #expect(own.map(\.text).joined() == planted.text && own.allSatisfy { $0.language == language })
            }
        }
    }

    @Test("a segment is divided where the speaker changes, with its tokens")
    func speakers() async throws {
        let recording = ScriptedFixture.Recording(count: 10)
        let recognizer = try ScriptedFixture.recognizer()
        var options = TranscriptionOptions.openAIWhisper
        options.wordTimestamps = true
        let middle = recording.words[6].seconds.lowerBound - 0.05
        let speakers = SpeakerUpdates(
            SpeakerAssignment(
                turns: [
                    TranscriptTurn(start: 0, end: middle, speaker: "A"),
                    TranscriptTurn(start: middle, end: 100, speaker: "B"),
                ], spelling: recognizer.model.spelling))
        let transcript = speakers.transcript(try await recognizer.transcribe(recording.source, options: options))
        #expect(transcript.segments.map(\.speaker) == ["A", "B"])
        #expect(transcript.segments.map(\.tokens) == [Array(0..<6), Array(6..<10)])
    }

    @Test("options that only Whisper has are refused by name")
    func unused() async throws {
        let recognizer = try ScriptedFixture.recognizer()
        var options = TranscriptionOptions.openAIWhisper
        options.whisper.initialPrompt = "x"
        options.beamSize = 2
        await #expect(throws: UnusedOptionsError(names: ["initialPrompt", "beamSize"], family: "Scripted")) {
            try await recognizer.transcribe(SampleSource([]), options: options)
        }
        let transcript = try await recognizer.transcribe(
            SampleSource([]), options: options.suited(to: recognizer.model.traits))
        #expect(transcript.text == "")
    }

    @Test("every format writes it, json without what only Whisper computes", arguments: OutputFormat.allCases)
    func formats(format: OutputFormat) async throws {
        let recording = ScriptedFixture.Recording(count: 12)
        let transcript = try await ScriptedFixture.recognizer().transcribe(recording.source)
        let text = format.text(of: transcript)
        if format != .rttm { #expect(text.contains("w0 w1 w2") && text.contains("w11")) }
        if format == .json {
            #expect(!["seek", "temperature", "compression_ratio", "no_speech_prob"].contains { text.contains($0) })
        }
    }
}
