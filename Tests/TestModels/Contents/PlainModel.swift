import EngineBasics
import EngineCompute
package import EngineWhisper
package import Foundation

/// A model's dimensions, vocabulary and tensors of float16 or float32 numbers, from which tests write other formats.
package struct PlainModel {
    package struct Tensor {
        package var name: String
        /// In PyTorch's order.
        package var shape: [Int]
        package var isHalf: Bool
        package var data: [UInt8]
    }

    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package var tensors: [Tensor]

    /// - Parameter contents: a file whose tensors are float16 and float32.
    package init(_ contents: GGMLContents, vocabulary: Vocabulary) {
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

    /// A narrow model of one encoder and one decoder layer, or of more, with the complete English vocabulary.
    package static func tiny(width: Int = 2, encoderLayers: Int = 1, decoderLayers: Int = 1) -> PlainModel {
        PlainModel(
            GGMLContents(width: width, encoderLayers: encoderLayers, decoderLayers: decoderLayers),
            vocabulary: .builtIn(size: 51_864))
    }
}

/// Vocabularies in GPT-2's printable alphabet, as Hugging Face and CTranslate2 write them.
package struct PrintableVocabulary {
    /// The texts of all IDs, special tokens included.
    package var texts: [String]
    package let endOfText: Int

    package init(_ vocabulary: Vocabulary) {
        let special = SpecialTokens(vocabularySize: vocabulary.size)
        endOfText = special.endOfText
        texts = vocabulary.pieces.prefix(endOfText).map(Self.text)
        texts += (endOfText..<vocabulary.size).map { special.name(of: $0) ?? "" }
    }

    package static let english = PrintableVocabulary(.builtIn(size: 51_864))
    package static let multilingual = PrintableVocabulary(.builtIn(size: 51_866))

    /// The vocabulary with as many IDs, built once.
    package static func shared(size: Int) -> PrintableVocabulary {
        size == english.texts.count ? english : multilingual
    }

    /// `tokenizer.json` of the English vocabulary, built once.
    package static let englishTokenizer = Result { try english.tokenizer() }

    package static func text(_ piece: [UInt8]) -> String {
        String(String.UnicodeScalarView(piece.map { scalars[Int($0)] }))
    }

    private static let scalars: [Unicode.Scalar] = {
        // Space, the control characters, U+007F to U+00A0 and U+00AD are not printable.
        let hidden = Array(0...0x20) + Array(0x7f...0xa0) + [0xad]
        return (0..<256).map { byte in
            hidden.firstIndex(of: byte).flatMap { Unicode.Scalar(0x100 + $0) } ?? Unicode.Scalar(UInt8(byte))
        }
    }()

    package var lines: Data { Data(texts.map { $0 + "\n" }.joined().utf8) }

    package var list: Data { Data(JSONText.array(texts.map { JSONText.string($0) }).utf8) }

    /// `vocab.json`: the ordinary tokens and the end of the text with their IDs.
    package var ranks: Data { Data(ranksText.utf8) }

    private var ranksText: String {
        "{" + texts[...endOfText].enumerated().map { "\(JSONText.string($1)):\($0)" }.joined(separator: ",") + "}"
    }

    /// `tokenizer.json`.
    package func tokenizer(merges: [Any] = []) throws -> Data {
        let added = texts.indices[endOfText...].map {
            JSONText.object([("id", "\($0)"), ("content", JSONText.string(texts[$0])), ("special", "true")])
        }
        let merges = String(decoding: try JSONSerialization.data(withJSONObject: merges), as: UTF8.self)
        let model = JSONText.object([("type", "\"BPE\""), ("vocab", ranksText), ("merges", merges)])
        return Data(
            JSONText.object([("version", "\"1.0\""), ("added_tokens", JSONText.array(added)), ("model", model)]).utf8)
    }
}
