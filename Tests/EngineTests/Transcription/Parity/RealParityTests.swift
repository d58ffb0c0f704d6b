import Foundation
import Testing

/// Compares transcriptions of real speech by OpenAI's tiny.en and base with openai-whisper's.
@Suite("Parity with the reference on real speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealParityTests {
    /// What one test compares. base, which takes longer, is split by language, so that its parts run in parallel.
    struct Part: CustomTestStringConvertible {
        let model: String
        let languages: [String]

        /// All languages that the model was tested with.
        static let all = [
            Part(model: "tiny.en", languages: ["en"]), Part(model: "base", languages: ["en"]),
            Part(model: "base", languages: ["fr", "es"]), Part(model: "base", languages: ["it", "ru"]),
        ]

        var sets: [String] { NanoParityTests.sets + (model == "base" ? ["beam5-translate", "detect"] : []) }
        var testDescription: String { "\(model), \(languages.joined(separator: " and "))" }
    }

    /// Results of one model under one option set.
    private struct Reference: Decodable {
        struct Case: Decodable {
            let clip: String
            /// The smallest gap, in log probability, by which the reference made a decision.
            let margin: Double?
            let result: ReferenceResult.Result
        }

        let options: ReferenceResult.Options
        let cases: [Case]
    }

    @Test("text, tokens and times equal the reference's, with every option set", arguments: Part.all)
    func transcriptions(part: Part) async throws {
        let path = FilePath(try #require(RealSpeech.models).appending(path: "ggml-\(part.model).bin").path)
        let recognizer = try Recognizer(
            try WhisperFiles.open(path),
            backend: try ComputeOptions(computeType: .float32, threads: 1).makeBackend(), cache: EncodingCache())
        let clips = try RealSpeech.clips()
        for set in part.sets {
            let reference: Reference = try Fixtures.json("real/\(part.model)/\(set).json")
            for expected in reference.cases {
                let clip = try #require(clips[expected.clip])
                guard part.languages.contains(clip.language) else { continue }
                var options = reference.options.transcription
                if set != "detect" { options.language = clip.language }
                let transcript = try await recognizer.transcribe(
                    ClipSource(samples: try await RealSpeech.samples(clip)), options: options)
                let name = "\(part.model) \(set) \(clip.clip), margin \(expected.margin ?? .infinity)"
                #expect(transcript.text == expected.result.plainText, "\(name)")
                #expect(transcript.language == expected.result.language, "\(name)")
                SegmentComparison.expectEqual(transcript.segments, expected.result.segments, clip: name)
            }
        }
    }

    @Test("the parts cover all results")
    func parts() throws {
        let clips = try RealSpeech.clips()
        for model in Set(Part.all.map(\.model)) {
            let parts = Part.all.filter { $0.model == model }, languages = parts.flatMap(\.languages)
            for set in parts[0].sets {
                let reference: Reference = try Fixtures.json("real/\(model)/\(set).json")
                #expect(!reference.cases.isEmpty, "\(model) \(set)")
                for expected in reference.cases {
                    let language = try #require(clips[expected.clip]).language
                    #expect(languages.contains(language), "\(model) \(set) \(expected.clip)")
                }
            }
        }
    }

    @Test("the recordings are those that the reference transcribed")
    func recordings() async throws {
        let clips = try RealSpeech.clips().values
        #expect(!clips.isEmpty)
        for clip in clips {
            let digest = try RealSpeech.digest(try await RealSpeech.samples(clip))
            #expect(
                digest == clip.sha256,
                "\(clip.file) has other samples; Tests/Oracles/real/transcriptions.py computes the results for them")
        }
    }
}
