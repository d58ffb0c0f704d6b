package import EngineWhisper
import Foundation
import Testing

/// Whisper's vocabularies in `Tests/Fixtures/tokenizer`, read once.
package enum VocabularyFixture {
    /// 51864 IDs.
    package static let englishVocabulary = vocabulary("english", size: 51_864)
    /// 51865 IDs.
    package static let multilingual99Vocabulary = vocabulary("multilingual", size: 51_865)
    /// 51866 IDs.
    package static let multilingual100Vocabulary = vocabulary("multilingual", size: 51_866)

    package static let english = Tokenizer(vocabulary: englishVocabulary)
    package static let multilingual99 = Tokenizer(vocabulary: multilingual99Vocabulary)
    package static let multilingual100 = Tokenizer(vocabulary: multilingual100Vocabulary)

    /// Tokenizers by the names in the reference files.
    package static let byName = [
        "english": english, "multilingual-99": multilingual99, "multilingual-100": multilingual100,
    ]

    private static func vocabulary(_ name: String, size: Int) -> Vocabulary {
        do {
            let bytes = try [UInt8](Data(contentsOf: Fixtures.url("tokenizer/\(name).vocabulary")))
            return Vocabulary(pieces: pieces(bytes), size: size)
        } catch {
            Issue.record("cannot read the vocabulary: \(error)")
            return Vocabulary(pieces: [], size: size)
        }
    }

    private static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        func number(at index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) } }
        var position = 4
        return (0..<number(at: 0)).map { _ in
            let start = position + 4
            position = start + number(at: position)
            return Array(bytes[start..<position])
        }
    }
}

/// Reference results in `Tests/Fixtures/tokenizer`, whose keys are in snake case.
package enum TokenizerGolden {
    package static func load<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: Fixtures.url("tokenizer/\(name).json")))
    }
}
