// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the stored files.

import Foundation
import Testing

/// Compares one window under many options, decoded by the real network, with the reference's `decode()`.
@Suite("Window decoding against the reference")
struct WindowOracleTests {
    struct File: Decodable {
        let cases: [Case]
    }

    struct Case: Decodable {
        let name: String
        let options: ReferenceResult.Options
        let initial_tokens: [Int]
        let sample_begin: Int
        let sot_index: Int
        let stable: Bool
        let tokens: [Int]
        let text: String
        let avg_logprob: Double
        let no_speech_prob: Double
        let compression_ratio: Double
        let language: String
        let temperature: Double
    }

    @Test(
        "tokens, text and probabilities equal the reference's under every option", arguments: NetworkFixture.models,
        RandomModel.backends)
    func windows(name: String, backend: ComputeOptions.Backend) throws {
        let cases = try Fixtures.json("model/\(name)/decode.json", as: File.self).cases
        #expect(cases.count == (name == "micro-v3" ? 28 : 25) && cases.allSatisfy(\.stable))
        let random = try RandomModel(name, backend)
        let specials = random.tokenizer.special
        for one in cases {
            var options = one.options.window(random.tokenizer)
            if options.language == nil {
                let detection = try LanguageDetection(scorer: random.decoder, specials: specials)
                options.language = random.tokenizer.language(ofToken: detection.best)?.code
            }
            let language = random.language(options.language)
            let initial = InitialTokens(
                sotSequence: try random.tokenizer.startOfTranscriptSequence(language: language, task: options.task),
                options: options, specials: specials, contextLength: random.decoder.contextLength)
            // The reference's list lacks a detected language, which it inserts before decoding.
            if one.options.language != nil { #expect(initial.tokens == one.initial_tokens, "\(one.name)") }
            #expect(initial.tokens.count == one.sample_begin && initial.sotIndex == one.sot_index, "\(one.name)")

            let task = try DecodingTask(
                options: options, specials: specials, nonSpeechTokens: random.tokenizer.nonSpeechTokens)
            let decoded = try task.run(random.decoder, from: initial)
            let text = random.tokenizer.decode(decoded.tokens).trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(decoded.tokens == one.tokens, "\(one.name)")
            #expect(text == one.text, "\(one.name)")
            #expect(abs(decoded.avgLogprob - one.avg_logprob) < 1e-4, "\(one.name)")
            #expect(abs(decoded.noSpeechProb - one.no_speech_prob) <= 2e-3 * one.no_speech_prob, "\(one.name)")
            #expect(abs(CompressionRatio.of(text) - one.compression_ratio) < 1e-9, "\(one.name)")
            #expect(options.temperature == one.temperature && (options.language ?? "en") == one.language)
        }
    }
}
