package import EngineBasics

/// A whisper.cpp model file (`ggml-*.bin`).
///
/// Layout, little-endian without padding: magic, eleven header numbers, the mel filters (skipped, because they are
/// computed here), the vocabulary, then tensor records to the end of the file. Everything is validated before any
/// weight is read: lengths against the remaining bytes, names and shapes against the header.
package struct GGMLFile: WeightFile {
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let warnings: [ModelWarning]
    package var alignmentHeads: [AlignmentHead]? { nil }
    package let tensors: [String: WeightTensor]
    private let file: ReadOnlyFile

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        do throws(FileError) {
            file = try ReadOnlyFile(path)
        } catch { throw ModelError(error, path: path) }
        self.path = path
        if file.count == 0 { throw .empty(path: path) }
        if file.count < 4 { throw .tooShort(path: path, bytes: file.count) }
        var reader = GGMLReader(file: file)
        let first = try reader.firstBytes(ModelFileKind.headBytes)
        switch ModelFileKind(first: first, size: file.count) {
        case .ggml: break
        case .zip: throw .anotherFormat(path: path, looksLike: "a ZIP archive", instead: ModelFileKind.useAnother)
        case .ctranslate2:
            throw .anotherFormat(path: path, looksLike: "a CTranslate2 model", instead: ModelFileKind.useAnother)
        case .safetensors:
            throw .anotherFormat(path: path, looksLike: "a safetensors file", instead: ModelFileKind.useAnother)
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .unknown: throw .unknownFormat(path: path, firstBytes: Array(first.prefix(8)))
        }
        dimensions = try reader.header()
        let stored = try reader.vocabulary(size: dimensions.nVocab)
        if reader.offset == file.count { throw .vocabularyOnly(path: path) }
        tensors = try reader.tensors(dimensions)
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

    package func checkUnchanged() throws(ModelError) {
        if !file.isUnchanged { throw .changedWhileRead(path: path) }
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
            + records(of: TensorShapes.all(dimensions), matrices: matrices)
    }

    /// The most bytes that a file can have that begins with these: with all weights in float32 and long pieces.
    ///
    /// - Parameter first: the first bytes of the file, `ModelFileKind.headBytes` of them.
    /// - Returns: `nil` if they are not those of a ggml file, or its dimensions are not those of a network.
    package static func limit(first: [UInt8]) -> Int? {
        guard let d = GGMLReader.dimensions(first), (try? d.check(path: FilePath(""))) != nil else { return nil }
        let pieces = d.nVocab * (4 + longestPiece)
        return file(d, matrices: .f32, vocabulary: []) + pieces
    }

    /// Longer than any piece of the published vocabularies, in bytes.
    private static let longestPiece = 1024

    /// The size in bytes of the records of `tensors`.
    static func records(of tensors: [(name: String, shape: [Int])], matrices: ElementType) -> Int {
        tensors.reduce(0) { $0 + GGMLRecord(name: $1.name, shape: $1.shape, matrices: matrices).size }
    }
}
