import Foundation
import Testing
import WhisperEngine

/// Compares complete transcriptions by the trained model with the reference's, for every clip and option set.
@Suite("Parity with the reference")
struct NanoParityTests {
    static let sets = [
        "greedy", "beam5", "beam5-words", "greedy-no-timestamps", "greedy-words-prompt", "greedy-no-condition",
        "greedy-suppress-none", "beam5-patience2-penalty", "greedy-words-hallucination", "greedy-clips-carry",
    ]
    static let backends: [BackendChoice] = BackendFixture.choices

    static let model = FilePath(
        Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin").path(percentEncoded: false))

    @Test("text and times of every clip equal the reference's", arguments: sets, backends)
    func transcriptions(set: String, backend: BackendChoice) async throws {
        let recognizer = try await Recognizer(
            model: Self.model, options: ComputeOptions(backend: backend, computeType: .float32, threads: 1))
        let clips = try Clips.all()
        #expect(clips.count >= 23)
        for clip in clips {
            let reference: ReferenceResult = try Fixtures.json("nano/\(set)/\(clip.name).json")
            let transcript = try await recognizer.transcribe(
                try AudioFile.open(clip.path), options: reference.options.transcription)
            #expect(transcript.text == reference.result.text, "\(clip.name)")
            guard reference.stable == true else { continue }
            SegmentComparison.expectEqual(transcript.segments, reference.result.segments, clip: clip.name)
        }
    }
}
