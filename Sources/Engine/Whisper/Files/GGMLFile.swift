package import EngineBasics
package import EngineWeights

/// A whisper.cpp model file (`ggml-*.bin`).
///
/// Layout, little-endian without padding: magic, eleven header numbers, the mel filters (skipped, because they are
/// computed here), the vocabulary, then tensor records to the end of the file. Everything is validated before any
/// weight is read: lengths against the remaining bytes, names and shapes against the header.
package struct GGMLFile: WhisperFile {
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let warnings: [ModelWarning]
    package let tensors: [String: WeightTensor]
    package var format: String { "ggml" }

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        self.path = path
        let file: ReadOnlyFile, kind: ModelFileKind
        do throws(FileError) {
            file = try ReadOnlyFile(path)
            kind = try ModelFileKind(of: file)
        } catch { throw ModelError(error, path: path) }
        guard kind == .ggml else { throw ModelFileKind.refusal(of: path) }
        var reader = GGMLHeaderReader(file: file)
        dimensions = try reader.header()
        let stored = try reader.vocabulary(size: dimensions.nVocab)
        if reader.offset == file.count { throw .vocabularyOnly(path: path) }
        tensors = try GGMLContainer(
            file, from: reader.offset, expecting: GGMLRecord.all(dimensions, matrices: reader.matrices)
        ).tensors
        // With a damaged vocabulary, the text would be wrong in every language except English.
        if !stored.isDamaged {
            vocabulary = stored
            warnings = []
        } else if let replacement = stored.builtInReplacement {
            vocabulary = replacement
            warnings = [.replacedVocabulary(path: path)]
        } else {
            throw .damagedVocabulary(path: path)
        }
    }
}

/// The expected sizes of ggml files, computed from their headers.
package enum GGMLSize {
    /// The size in bytes of a file as whisper.cpp's converter and quantizer write it.
    ///
    /// - Parameters:
    ///   - matrices: the storage format of matrices.
    ///   - vocabulary: the pieces in the file.
    package static func file(_ dimensions: ModelDimensions, matrices: ElementType, vocabulary: [[UInt8]]) -> Int {
        // Magic, eleven numbers, two filter dimensions, the filters, the number of pieces; each piece has a length.
        let start = 4 * (1 + 11 + 2 + 201 * dimensions.nMels + 1)
        return vocabulary.reduce(start) { $0 + 4 + $1.count }
            + GGMLRecord.all(dimensions, matrices: matrices).reduce(0) { $0 + $1.size }
    }

    /// The most bytes that a file can have that begins with these: with all weights in float32 and long pieces.
    ///
    /// - Parameter first: the first bytes of the file, `ModelFileKind.headBytes` of them.
    /// - Returns: `nil` if they are not those of a ggml file, or its dimensions are not those of a network.
    package static func limit(first: [UInt8]) -> Int? {
        guard let d = GGMLHeaderReader.dimensions(first), (try? d.check(path: FilePath(""))) != nil else { return nil }
        let pieces = d.nVocab * (4 + longestPiece)
        return file(d, matrices: .f32, vocabulary: []) + pieces
    }

    /// Longer than any piece of the published vocabularies, in bytes.
    private static let longestPiece = 1024
}

extension GGMLRecord {
    /// A record as whisper.cpp's converter and quantizer write it.
    ///
    /// - Parameter matrices: the format of matrices. Vectors, positional embeddings and biases are always float32;
    ///   convolution kernels are float16 except in float32 files.
    package init(name: String, shape: [Int], matrices: ElementType) {
        let isVector = shape.count == 1 || name.hasSuffix("positional_embedding")
        self.init(
            name: name, shape: shape, type: isVector ? .f32 : shape.count == 3 && matrices != .f32 ? .f16 : matrices,
            // Biases of convolutions have an additional dimension.
            leadingOnes: name.hasPrefix("encoder.conv") && shape.count == 1 ? 1 : 0)
    }

    /// The records of a network, in the order of the state dictionary.
    static func all(_ dimensions: ModelDimensions, matrices: ElementType) -> [GGMLRecord] {
        TensorShapes.all(dimensions).map { GGMLRecord(name: $0.name, shape: $0.shape, matrices: matrices) }
    }
}
