import Foundation
import Testing

/// A search with terms needs only few exact scores.
@Suite("Scores of terms")
struct TermScoresTests {
    /// Computes every score.
    private final class ExactScorer: TokenScorer {
        private let decoder: TextDecoder
        init(_ decoder: TextDecoder) { self.decoder = decoder }
        var vocabularySize: Int { decoder.vocabularySize }
        var contextLength: Int { decoder.contextLength }

        func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
            try decoder.start(tokens, logitsAt: positions)
        }

        func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
            try decoder.advance(tokens, from: sources, into: &logits)
        }

        func truncate(to count: Int) { decoder.truncate(to: count) }
    }

    @Test("text and probabilities are those of all scores", arguments: [ComputeType.int8, .int16, .float32], [nil, 5])
    func exact(type: ComputeType, beams: Int?) throws {
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        let backend = try ComputeOptions(backend: .openblas, computeType: type, threads: 1).makeBackend()
        let model = try WhisperModel(try GGMLFile(path), backend: backend)
        let decoder = try TextDecoder(model, maxRows: 5)
        decoder.attend(to: try AudioEncoder(model).encode(try NetworkFixture.window("micro.en")))
        var options = DecodingOptions()
        options.forcedTokenCount = 40
        options.beamSize = beams
        let start = InitialTokens(tokens: try model.tokenizer.startOfTranscriptSequence(), sotIndex: 0)
        func decode(_ scorer: any TokenScorer, _ terms: TermTrie?) throws -> DecodedTokens {
            try DecodingTask(
                options: options, specials: model.tokenizer.special, nonSpeechTokens: [1, 2], terms: terms
            ).run(scorer, from: start)
        }
        let plain = try decode(decoder, nil)
        var random = SplitMix64(seed: 4)
        var differences = 0
        for weight in [0.5, 1, 3] as [Float] {
            let terms = (0..<500).map { index in
                let chosen = plain.tokens[index % plain.tokens.count]
                let first = index < 100 ? chosen : Int.random(in: 0..<50_000, using: &random)
                return TermTrie.Spelling(
                    [first] + (0..<(index % 3)).map { _ in Int.random(in: 0..<50_000, using: &random) }, weight: weight)
            }
            let trie = TermTrie(terms, textBytes: { _ in nil })
            let found = try decode(decoder, trie), expected = try decode(ExactScorer(decoder), trie)
            #expect(found.tokens == expected.tokens, "\(weight)")
            // The sum over all tokens is approximate, as without terms.
            for (logprob, exact) in zip(found.logprobs, expected.logprobs) { #expect(abs(logprob - exact) < 5e-3) }
            #expect(abs(found.sumLogprobs - expected.sumLogprobs) < 0.1)
            if found.tokens != plain.tokens { differences += 1 }
        }
        #expect(differences > 0)
    }
}
