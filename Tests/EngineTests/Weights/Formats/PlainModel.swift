import Foundation
import WhisperEngine

/// A model's dimensions, vocabulary and tensors of float16 or float32 numbers, from which tests write other formats.
struct PlainModel {
    struct Tensor {
        var name: String
        /// In PyTorch's order.
        var shape: [Int]
        var isHalf: Bool
        var data: [UInt8]
    }

    let dimensions: ModelDimensions
    let vocabulary: Vocabulary
    var tensors: [Tensor]

    /// - Parameter contents: a file whose tensors are float16 and float32.
    init(_ contents: GGMLContents, vocabulary: Vocabulary) {
        let header = contents.header
        dimensions = ModelDimensions(
            nMels: header[9], nAudioCtx: header[1], nAudioState: header[2], nAudioHead: header[3],
            nAudioLayer: header[4], nVocab: header[0], nTextCtx: header[5], nTextState: header[6],
            nTextHead: header[7], nTextLayer: header[8])
        self.vocabulary = vocabulary
        let shapes = Dictionary(uniqueKeysWithValues: TensorShapes.all(dimensions).map { ($0.name, $0.shape) })
        tensors = contents.records.map {
            Tensor(name: $0.name, shape: shapes[$0.name] ?? [], isHalf: $0.type == 1, data: $0.data)
        }
    }

    /// A model of one layer and width 2, or with more decoder layers, with the complete English vocabulary.
    static func tiny(decoderLayers: Int = 1) -> PlainModel {
        PlainModel(
            GGMLContents(width: 2, decoderLayers: decoderLayers), vocabulary: VocabularyFixture.englishVocabulary)
    }

    static func micro(_ name: String) throws -> PlainModel {
        let bytes = try [UInt8](Data(contentsOf: Fixtures.url("models/ggml-\(name).bin")))
        let vocabulary =
            name == "micro-v3" ? VocabularyFixture.multilingual100Vocabulary : VocabularyFixture.englishVocabulary
        return PlainModel(GGMLContents(bytes), vocabulary: vocabulary)
    }
}

/// Vocabularies in GPT-2's printable alphabet, as Hugging Face and CTranslate2 write them.
struct PrintableVocabulary {
    /// The texts of all IDs, special tokens included.
    var texts: [String]
    let endOfText: Int

    init(_ vocabulary: Vocabulary) {
        let special = SpecialTokens(vocabularySize: vocabulary.size)
        endOfText = special.endOfText
        texts = vocabulary.pieces.prefix(endOfText).map(Self.text)
        texts += (endOfText..<vocabulary.size).map { special.name(of: $0) ?? "" }
    }

    static let english = PrintableVocabulary(VocabularyFixture.englishVocabulary)
    static let multilingual = PrintableVocabulary(VocabularyFixture.multilingual100Vocabulary)

    /// The vocabulary with as many IDs, built once.
    static func shared(size: Int) -> PrintableVocabulary { size == english.texts.count ? english : multilingual }

    /// `tokenizer.json` of the English vocabulary, built once.
    static let englishTokenizer = Result { try english.tokenizer() }

    static func text(_ piece: [UInt8]) -> String {
        String(String.UnicodeScalarView(piece.map { scalars[Int($0)] }))
    }

    private static let scalars: [Unicode.Scalar] = {
        // Space, the control characters, U+007F to U+00A0 and U+00AD are not printable.
        let hidden = Array(0...0x20) + Array(0x7f...0xa0) + [0xad]
        return (0..<256).map { byte in
            hidden.firstIndex(of: byte).flatMap { Unicode.Scalar(0x100 + $0) } ?? Unicode.Scalar(UInt8(byte))
        }
    }()

    var lines: Data { Data(texts.map { $0 + "\n" }.joined().utf8) }

    var list: Data { get throws { try JSONEncoder().encode(texts) } }

    /// `vocab.json`: the ordinary tokens and the end of the text.
    var ranks: [String: Int] {
        Dictionary(uniqueKeysWithValues: texts[...endOfText].enumerated().map { ($1, $0) })
    }

    var added: [[String: Any]] {
        texts.indices[endOfText...].map { ["id": $0, "content": texts[$0], "special": true] }
    }

    /// `tokenizer.json`.
    func tokenizer(merges: [Any] = []) throws -> Data {
        try JSONSerialization.data(withJSONObject: [
            "version": "1.0", "added_tokens": added,
            "model": ["type": "BPE", "vocab": ranks, "merges": merges] as [String: Any],
        ])
    }
}
