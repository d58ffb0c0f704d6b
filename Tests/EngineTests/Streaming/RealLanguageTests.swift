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
