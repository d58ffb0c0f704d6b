import Foundation
import Testing
import WhisperEngine

/// Compares transcriptions of real speech by OpenAI's tiny.en and base with openai-whisper's.
@Suite("Parity with the reference on real speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct RealParityTests {
    private static let models = ["tiny.en", "base"]

    private static func sets(of model: String) -> [String] {
        NanoParityTests.sets + (model == "base" ? ["beam5-translate", "detect"] : [])
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

        /// The cases that every run of the tests includes, or the others. With base, which takes twice as long, every run
        /// includes five prompts and the minute of each language with beam search, and one prompt under the other options.
        func cases(inEveryRun: Bool, model: String, set: String) -> [Case] {
            var prompts: [Substring: Int] = [:]
            return cases.filter { expected in
                let language = expected.clip.prefix { $0 != "/" }
                prompts[language, default: 0] += 1
                let limit = model == "tiny.en" ? .max : set == "beam5" ? 5 : 1
                let isPrompt = expected.clip.contains("/")
                let isIncluded =
                    isPrompt ? prompts[language, default: 0] <= limit : model == "tiny.en" || set == "beam5"
                return isIncluded == inEveryRun
            }
        }
    }

    @Test("text, tokens and times equal the reference's, with every option set", arguments: models)
    func transcriptions(model: String) async throws { try await compare(model: model, inEveryRun: true) }

    @Test(
        "text, tokens and times of the remaining recordings equal the reference's",
        .enabled(
            if: ProcessInfo.processInfo.environment["WHISPER_LOCAL_TEST_ALL"] == "1",
            "optional: takes six minutes (WHISPER_LOCAL_TEST_ALL=1)"),
        // Every run includes all recordings with tiny.en.
        arguments: ["base"])
    func remainingTranscriptions(model: String) async throws { try await compare(model: model, inEveryRun: false) }

    private func compare(model: String, inEveryRun: Bool) async throws {
        let path = FilePath(try #require(RealSpeech.models).appending(path: "ggml-\(model).bin").path)
        let recognizer = try Recognizer(
            try ModelFile.open(path),
            backend: try ComputeOptions(computeType: .float32, threads: 1).makeBackend(), cache: EncodingCache())
        for set in Self.sets(of: model) {
            try await compare(recognizer, model: model, set: set, inEveryRun: inEveryRun)
        }
    }

    private func compare(_ recognizer: Recognizer, model: String, set: String, inEveryRun: Bool) async throws {
        let reference: Reference = try Fixtures.json("real/\(model)/\(set).json")
        let cases = reference.cases(inEveryRun: inEveryRun, model: model, set: set)
        // With base, every run includes all cases of most sets.
        #expect(!cases.isEmpty || !inEveryRun && !reference.cases.isEmpty, "\(model) \(set)")
        let clips = try RealSpeech.clips()
        for expected in cases {
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
