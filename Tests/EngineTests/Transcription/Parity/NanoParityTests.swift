import Foundation
import Testing

/// Compares complete transcriptions by the trained model with the reference's, for every clip and option set.
@Suite("Parity with the reference")
struct NanoParityTests {
    static let sets = [
        "greedy", "beam5", "beam5-words", "greedy-no-timestamps", "greedy-words-prompt", "greedy-no-condition",
        "greedy-suppress-none", "beam5-patience2-penalty", "greedy-words-hallucination", "greedy-clips-carry",
    ]
    static let backends: [ComputeOptions.Backend] = BackendFixture.choices

    static let model = FilePath(
        Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin").path(percentEncoded: false))

    /// The sets for a backend: all for the first. The others differ only in how products are computed, which two sets show.
    static func sets(for backend: ComputeOptions.Backend) -> [String] {
        backend == backends[0] ? sets : ["greedy", "beam5-words"]
    }

    @Test("text and times of every clip equal the reference's, with every option set", arguments: backends)
    func transcriptions(backend: ComputeOptions.Backend) async throws {
        let sets = Self.sets(for: backend)
        let options = ComputeOptions(backend: backend, computeType: .float32, threads: 1)
        let cache = EncodingCache()
        let recognizer = try Recognizer(
            try WhisperFiles.open(Self.model), backend: try options.makeBackend(), cache: cache)
        let clips = try Clips.all()
        #expect(clips.count >= 23)
        for set in sets {
            for clip in clips {
                let reference: ReferenceResult = try Fixtures.json("nano/\(set)/\(clip.name).json")
                let transcript = try await recognizer.transcribe(
                    try AudioFile.open(clip.path), options: reference.options.transcription)
                #expect(transcript.text == reference.result.plainText, "\(set) \(clip.name)")
                guard reference.stable == true else { continue }
                SegmentComparison.expectEqual(
                    transcript.segments, reference.result.segments, clip: "\(set) \(clip.name)")
            }
        }
        // Most windows are shared by all option sets and encoded once; each set encodes at least one per clip.
        #expect(sets.count == 2 || cache.count < sets.count * clips.count / 2)
    }
}
