import Foundation
import Testing

/// Plays short prompts by human speakers to live sessions that detect the language, with OpenAI's base.
@Suite("Language of live speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealLanguageTests {
    private static let sampleRate = 16_000

    private static func recognizer() async throws -> Recognizer {
        let path = FilePath(try #require(RealSpeech.models).appending(path: "ggml-base.bin").path)
        return try await Recognizer(model: path, options: ComputeOptions(computeType: .auto, threads: 1))
    }

    private static func samples(_ clip: String) async throws -> [Float] {
        let path = try #require(RealSpeech.recordings).appending(path: clip).path
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(FilePath(path)).chunks() { samples += chunk.samples }
        return samples
    }

    private static func finals(_ samples: [Float], _ recognizer: Recognizer) async throws -> [TranscriptSegment] {
        try await LiveNetworkTests.run(
            samples, recognizer: recognizer, options: LiveNetworkTests.options(.align), seed: 1
        ).finalized
    }

    /// The first half second of each seems to be in another language, with a probability of 0.5 or more.
    @Test(
        "short prompts are written in their language, from the first final on",
        arguments: [
            "en/demo-echodone.wav", "es/followme_no-recording.wav", "it/conf-extended.wav", "ru/conf-nonextended.wav",
        ])
    func prompts(clip: String) async throws {
        let finals = try await Self.finals(try await Self.samples(clip), try await Self.recognizer())
        #expect(!finals.isEmpty)
        #expect(finals.allSatisfy { $0.language == String(clip.prefix(2)) }, "\(finals.map(\.text))")
    }

    @Test("each utterance is written in its own language, one of those that may be spoken")
    func multilingual() async throws {
        var samples: [Float] = []
        var starts: [(second: Double, language: String)] = []
        let clips = [
            "en/vm-tempremoved.wav", "fr/vm-toforward.wav", "es/vm-repeat.wav", "es/transfer.wav",
        ]
        for clip in clips {
            starts.append((Double(samples.count) / 16_000, String(clip.prefix(2))))
            samples += try await Self.samples(clip) + [Float](repeating: 0, count: Self.sampleRate)
        }
        var options = LiveNetworkTests.options(.align)
        options.transcription.multilingual = true
        options.transcription.languages = ["en", "fr", "es"]
        let finals = try await LiveNetworkTests.run(
            samples, recognizer: try await Self.recognizer(), options: options, seed: 1
        ).finalized
        #expect(Set(finals.compactMap(\.language)) == ["en", "fr", "es"])
        for final in finals {
            let middle = (final.start + final.end) / 2
            #expect(final.language == starts.last { $0.second <= middle }?.language, "\(final.start) \(final.text)")
        }
    }

    /// The energy detector takes tones for speech.
    @Test("ring tones before the speech do not decide its language", arguments: [[440.0, 480], [425]])
    func ringTones(frequencies: [Double]) async throws {
        let ring = (0..<(2 * Self.sampleRate)).map { index in
            let time = Double(index) / Double(Self.sampleRate)
            return Float(0.25 * frequencies.reduce(0) { $0 + sin(2 * .pi * $1 * time) } / Double(frequencies.count))
        }
        let pause = [Float](repeating: 0, count: 2 * Self.sampleRate)
        let speech = try await Self.samples("fr/vm-mismatch.wav")
        let finals = try await Self.finals(ring + pause + ring + pause + speech, try await Self.recognizer())
            .filter { $0.start >= 8 }
        #expect(!finals.isEmpty)
        #expect(finals.allSatisfy { $0.language == "fr" }, "\(finals.map(\.text))")
    }
}
