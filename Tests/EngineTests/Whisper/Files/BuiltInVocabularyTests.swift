import Foundation
import Testing

@Suite("Built-in vocabularies")
struct BuiltInVocabularyTests {
    @Test("a built-in vocabulary is openai-whisper's, token by token")
    func equal() {
        #expect(Vocabulary.builtIn(size: 51_864) == VocabularyFixture.englishVocabulary)
        #expect(Vocabulary.builtIn(size: 51_865) == VocabularyFixture.multilingual99Vocabulary)
        #expect(Vocabulary.builtIn(size: 51_866) == VocabularyFixture.multilingual100Vocabulary)
    }

    @Test("a built-in vocabulary equals the one in a ggml file", arguments: ["micro.en", "micro-v3"])
    func files(name: String) throws {
        let path = FilePath(Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false))
        let vocabulary = try GGMLFile(path).vocabulary
        #expect(Vocabulary.builtIn(size: vocabulary.size) == vocabulary)
    }

    @Test("a built-in vocabulary replaces one of its size, with or without the end of text")
    func replacement() {
        for whole in [VocabularyFixture.englishVocabulary, VocabularyFixture.multilingual100Vocabulary] {
            let replaced = { (pieces: [[UInt8]]) in
                Vocabulary(pieces: pieces, size: whole.size).builtInReplacement
            }
            let damaged = whole.pieces.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
            #expect(replaced(damaged) == whole)
            #expect(replaced(damaged + [Array("<|endoftext|>".utf8)]) == whole)
            #expect(replaced(damaged + [[], []]) == nil)
            #expect(replaced(damaged.dropLast()) == nil)
            #expect(replaced([]) == nil)
        }
    }
}
