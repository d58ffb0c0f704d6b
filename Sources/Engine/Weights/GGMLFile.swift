/// A whisper.cpp model file (`ggml-*.bin`).
///
/// Layout, all little-endian and without padding: magic, eleven header numbers, the mel filters (computed here, so
/// only skipped), the vocabulary, then tensor records to the end of the file. Everything is checked before any weight
/// is read: lengths against the bytes left, names and shapes against what the header asks for.
package struct GGMLFile: WeightFile {
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package var alignmentHeads: [AlignmentHead]? { nil }
    private let tensors: [String: WeightTensor]
    private let file: ReadOnlyFile

    package init(_ path: FilePath) throws(ModelError) {
        file = try Self.open(path)
        self.path = path
        if file.count == 0 { throw .empty(path: path) }
        if file.count < 4 { throw .tooShort(path: path, bytes: file.count) }
        var reader = GGMLReader(file: file)
        let first = try reader.firstBytes(ModelFileKind.headBytes)
        switch ModelFileKind(first: first, size: file.count) {
        case .ggml: break
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .unknown: throw .unknownFormat(path: path, firstBytes: Array(first.prefix(8)))
        }
        dimensions = try reader.header()
        vocabulary = try reader.vocabulary(size: dimensions.nVocab)
        if reader.offset == file.count { throw .vocabularyOnly(path: path) }
        tensors = try reader.tensors(dimensions)
        // The text of such a model would be wrong in every language but English, and silently so.
        if vocabulary.isDamaged { throw .damagedVocabulary(path: path) }
    }

    private static func open(_ path: FilePath) throws(ModelError) -> ReadOnlyFile {
        do {
            return try ReadOnlyFile(path)
        } catch .isFolder {
            guard
                case .other(let looksLike, let instead) = ModelFileKind(
                    folder: path, names: (try? DiskAccess.names(in: path)) ?? [])
            else { throw .isFolder(path: path) }
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        } catch {
            throw ModelError(error, path: path)
        }
    }

    package func tensor(_ name: String) throws -> WeightTensor {
        guard let tensor = tensors[name] else { throw ModelError.missingTensors(path: path, names: [name]) }
        return tensor
    }

    package func checkUnchanged() throws(ModelError) {
        if !file.isUnchanged { throw .changedWhileRead(path: path) }
    }
}
