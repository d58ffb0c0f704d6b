import Foundation
import TestSupport
import Testing

@Suite("Batches of real speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealBatchTests {
    /// The model often leaves the last sentence of a chunk to a second window, whose audio context is shortened.
    @Test("no words are lost in the rest that the first window of a chunk leaves over")
    func remainders() async throws {
        let model = try #require(RealSpeech.models).appending(path: "ggml-tiny.en.bin").path
        let recognizer = try await Recognizer(model: model)
        let recording = try #require(RealSpeech.clips()["long-en"])
        let source = SampleSource(Array(try await RealSpeech.samples(recording).prefix(120 * 16_000)))
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        options.whisper.conditionOnPreviousText = false
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        let expected = try await recognizer.transcribe(source, options: options)
        options.batchSize = 4
        let transcript = try await recognizer.transcribe(source, options: options)
        let starts = Set(transcript.segments.compactMap(\.seek)).sorted()
        #expect(zip(starts, starts.dropFirst()).contains { $1 - $0 < 1000 }, "no chunk has a second window: \(starts)")
        let words = [expected, transcript].map { $0.text.lowercased().split { !$0.isLetter && !$0.isNumber } }
        let errors = EditDistance(words[0], words[1]).value
        #expect(errors <= words[0].count / 50, "\(errors) of \(words[0].count): \(transcript.text)")
    }
}
