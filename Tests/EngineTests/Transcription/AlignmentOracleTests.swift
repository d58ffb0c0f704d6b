// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the stored files.

import Foundation
import Testing

/// Compares word times of given texts, computed with the real network, with the reference's `find_alignment()`.
@Suite("Word alignment against the reference")
struct AlignmentOracleTests {
    struct File: Decodable {
        let heads: [[Int]]
        let cases: [Case]
    }

    struct Case: Decodable {
        struct Word: Decodable {
            let word: String
            let tokens: [Int]
            let start: Double
            let end: Double
            let probability: Double
        }

        let text: String
        let tokens: [Int]
        let num_frames: Int
        let path_text: [Int]
        let path_time: [Int]
        let words: [Word]
    }

    @Test(
        "costs, path and words equal the reference's", arguments: NetworkFixture.models, RandomModel.backends)
    func alignment(name: String, backend: ComputeOptions.Backend) throws {
        let file = try Fixtures.json("model/\(name)/alignment.json", as: File.self)
        #expect(file.cases.count == 3)
        let random = try RandomModel(name, backend, rows: 3)
        let heads = AlignmentHeads.heads(of: random.model.dimensions)
        #expect(heads.map { [$0.layer, $0.head] } == file.heads)
        for (index, one) in file.cases.enumerated() {
            #expect(random.tokenizer.encode(one.text) == one.tokens)
            let start = try random.tokenizer.startOfTranscriptSequence(language: random.language("en"))
            let tokens =
                start + [random.tokenizer.special.noTimestamps] + one.tokens + [random.tokenizer.special.endOfText]
            let columns = random.model.dimensions.nAudioCtx
            var probabilities: [Float] = []
            let scores = try random.decoder.align(
                tokens, heads: heads, columns: columns, rows: start.count..<(start.count + one.tokens.count)
            ) { position, logits in
                probabilities.append(
                    CrossAttentionAlignment.probability(
                        of: tokens[position + 1], logits: logits, endOfText: random.tokenizer.special.endOfText))
            }
            let alignment = CrossAttentionAlignment(
                rows: tokens.count, columns: columns, startLength: start.count, frames: one.num_frames)
            let costs = alignment.costs(scores: scores)
            let expected = try Fixtures.floats("model/\(name)/alignment-\(index)-cost.f32")
            #expect(NetworkFixture.error(costs, expected) < 2e-3, "\(one.text)")
            let path = DynamicTimeWarping.path(
                costs: costs, rows: alignment.costRows, columns: alignment.usedColumns)
            #expect(path.rows == one.path_text && path.columns == one.path_time, "\(one.text)")
            let words = alignment.timings(
                of: CrossAttentionAlignment.words(
                    of: one.tokens, tokenizer: random.tokenizer, language: random.language("en")),
                scores: scores, probabilities: probabilities)
            #expect(words.map(\.word) == one.words.map(\.word) && words.map(\.tokens) == one.words.map(\.tokens))
            for (word, other) in zip(words, one.words) {
                #expect(abs(word.start - other.start) < 1e-6 && abs(word.end - other.end) < 1e-6, "\(word.word)")
                #expect(abs(word.probability - other.probability) <= 2e-3 * other.probability, "\(word.word)")
            }
        }
    }
}
