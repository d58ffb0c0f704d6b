import Foundation
import Testing
import WhisperEngine

/// Compares transcriptions of real speech by OpenAI's tiny.en and base with openai-whisper's.
@Suite("Parity with the reference on real speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealParityTests {
    private static let sets = NanoParityTests.sets
    private static let runs =
        sets.map { ("tiny.en", $0) } + (sets + ["beam5-translate", "detect"]).map { ("base", $0) }

    /// Results of one model under one option set.
    private struct Reference: Decodable {
        struct Case: Decodable {
            let clip: String
            /// The smallest gap, in log probability, by which the reference made a decision.
            let margin: Double?
            /// The most probable languages, if the language was detected.
            let languages: [String: Double]?
            let result: ReferenceResult.Result
        }

        let options: ReferenceResult.Options
        let cases: [Case]
    }

    @Test("text, tokens and times of every recording equal the reference's", arguments: runs)
    func transcriptions(model: String, set: String) async throws {
        let recognizer = try await Recognizer(
            model: FilePath(try #require(RealSpeech.models).appending(path: "ggml-\(model).bin").path),
            options: ComputeOptions(computeType: .float32, threads: 1))
        let reference: Reference = try Fixtures.json("real/\(model)/\(set).json")
        let clips = try RealSpeech.clips()
        #expect(!reference.cases.isEmpty)
        for expected in reference.cases {
            let clip = try #require(clips[expected.clip])
            var options = reference.options.transcription
            if set != "detect" { options.decoding.language = clip.language }
            let transcript = try await recognizer.transcribe(
                ClipSource(samples: try await RealSpeech.samples(clip)), options: options)
            let name = "\(model) \(set) \(clip.clip), margin \(expected.margin ?? .infinity)"
            #expect(transcript.text == expected.result.text, "\(name)")
            #expect(transcript.language == expected.result.language, "\(name)")
            SegmentComparison.expectEqual(transcript.segments, expected.result.segments, clip: name)
        }
    }

    @Test("the recordings are those that the reference transcribed")
    func recordings() async throws {
        for clip in try RealSpeech.clips().values {
            let digest = try RealSpeech.digest(try await RealSpeech.samples(clip))
            #expect(
                digest == clip.sha256,
                "\(clip.file) has other samples; Tests/Oracles/real/transcriptions.py computes the results for them")
        }
    }
}
