import Foundation
import Testing

/// Recordings joined from prompts by human speakers, with OpenAI's base.
@Suite("Languages of real speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealLanguagesTests {
    private static func recognizer() async throws -> Recognizer {
        let path = FilePath(try #require(RealSpeech.models).appending(path: "ggml-base.bin").path)
        return try await Recognizer(model: path, options: ComputeOptions(computeType: .auto, threads: 1))
    }

    private static func options() throws -> TranscriptionOptions {
        let weights = try #require(RealSpeech.models).appending(path: "silero_vad_16k.safetensors").path
        var options = TranscriptionOptions()
        options.guardDetector = .silero(try SileroNetwork(FilePath(weights)))
        options.beamSize = 1
        return options
    }

    private static func samples(_ clip: String) async throws -> [Float] {
        let path = try #require(RealSpeech.recordings).appending(path: clip).path
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(FilePath(path)).chunks() { samples += chunk.samples }
        return samples
    }

    /// Prompts with pauses between them, and where each begins, in seconds.
    private static func joined(_ prompts: [String]) async throws -> (samples: [Float], starts: [Double]) {
        var samples: [Float] = []
        var starts: [Double] = []
        for prompt in prompts {
            starts.append(Double(samples.count) / 16_000)
            samples += try await Self.samples(prompt) + [Float](repeating: 0, count: 12_800)
        }
        return (samples, starts)
    }

    @Test("each prompt is written in its language, and the transcript's is that of most speech")
    func multilingual() async throws {
        let (samples, starts) = try await Self.joined([
            "en/vm-forward-multiple.wav", "en/vm-tempremoved.wav", "fr/vm-review-urgent.wav", "fr/vm-toforward.wav",
            "es/transfer.wav", "es/vm-repeat.wav", "en/auth-incorrect.wav",
        ])
        var options = try Self.options()
        options.languages = ["en", "fr", "es"]
        let recognizer = try await Self.recognizer()
        let one = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(one.segments.allSatisfy { $0.language == nil } && !one.text.contains("espere"))
        options.multilingual = true
        let log = UpdateLog()
        let mixed = try await recognizer.transcribe(SampleSource(samples), options: options, updates: log.add)
        let languages = ["en", "en", "fr", "fr", "es", "es", "en"]
        for segment in mixed.segments where !segment.text.isEmpty {
            let middle = (segment.start + segment.end) / 2
            let index = try #require(starts.lastIndex { $0 <= middle })
            #expect(segment.language == languages[index], "\(segment.start) \(segment.text)")
        }
        #expect(mixed.language == "en")
        for words in ["temporary greeting", "Pour transf", "utilisateur", "espere", "repetir", "password"] {
            #expect(mixed.text.contains(words), "\(words)")
        }
        let reported = log.all.compactMap { if case .language(let code, _, _) = $0 { code } else { nil } }
        #expect(reported.suffix(4) == ["en", "fr", "es", "en"])
    }

    @Test("without a network for the guards, no language in a window is lost")
    func multilingualByLevel() async throws {
        let (samples, starts) = try await Self.joined(["en/vm-tempremoved.wav", "fr/vm-toforward.wav"])
        var options = try Self.options()
        (options.languages, options.multilingual, options.guardDetector) = (["en", "fr"], true, .energy)
        let transcript = try await Self.recognizer().transcribe(SampleSource(samples), options: options)
        for (language, words, isFirst) in [("en", "temporary greeting", true), ("fr", "Pour transf", false)] {
            let segment = transcript.segments.first { $0.text.contains(words) }
            #expect(segment?.language == language, "\(transcript.segments.map(\.text))")
            #expect(segment.map { $0.start < starts[1] - 0.5 } == isFirst)
        }
    }

    @Test("a language that may not be spoken is not detected, with and without batches", arguments: [1, 4])
    func possible(batchSize: Int) async throws {
        let samples = try await Self.samples("fr/vm-toforward.wav")
        var options = try Self.options()
        options.batchSize = batchSize
        if batchSize > 1 { options.voiceActivity = VoiceActivityOptions() }
        let recognizer = try await Self.recognizer()
        for (languages, expected) in [([], "fr"), (["en", "fr"], "fr"), (["en", "zh"], "en")] {
            options.languages = languages
            let log = UpdateLog()
            let transcript = try await recognizer.transcribe(
                SampleSource(samples), options: options, updates: log.add)
            #expect(transcript.language == expected)
            let probability = log.all.lazy.compactMap {
                if case .language(_, let probability, _) = $0 { probability } else { nil }
            }.first
            #expect((probability ?? 0 > 0.5) == (expected == "fr"))
        }
    }

    @Test("a short sound at the start does not decide the language")
    func shortSound() async throws {
        let speech = try await Self.samples("ru/conf-nonextended.wav")
        let pause = [Float](repeating: 0, count: 32 * 16_000)
        let transcript = try await Self.recognizer().transcribe(
            SampleSource(Array(speech.prefix(12_800)) + pause + speech + speech), options: Self.options())
        #expect(transcript.language == "ru")
    }
}
