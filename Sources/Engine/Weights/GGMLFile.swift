/// A whisper.cpp model file (`ggml-*.bin`), mapped.
///
/// Layout, all little-endian and without padding: magic, eleven header numbers, the mel filters (computed here, so
/// only skipped), the vocabulary, then tensor records to the end of the file. Everything is checked before any weight
/// is read: lengths against the bytes left, names and shapes against what the header asks for.
package struct GGMLFile: WeightFile {
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package var alignmentHeads: [AlignmentHead]? { nil }
    private let tensors: [String: WeightTensor]
    private let path: FilePath

    package init(_ path: FilePath) throws(ModelError) {
        let file = try Self.map(path)
        if file.count == 0 { throw .empty(path: path) }
        if file.count < 4 { throw .tooShort(path: path, bytes: file.count) }
        switch ModelFileKind(of: file) {
        case .ggml: break
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .unknown: throw .unknownFormat(path: path, firstBytes: file.bytes(0..<min(8, file.count)) ?? [])
        }
        self.path = path
        var reader = GGMLReader(file: file, path: path, offset: 4)
        dimensions = try reader.header()
        vocabulary = try reader.vocabulary(size: dimensions.nVocab)
        if reader.offset == file.count { throw .vocabularyOnly(path: path) }
        tensors = try reader.tensors(dimensions)
    }

    private static func map(_ path: FilePath) throws(ModelError) -> MappedFile {
        do {
            return try MappedFile(path)
        } catch {
            switch error {
            case .noSuchFile: throw .noFile(path: path)
            case .notPermitted: throw .notPermitted(path: path)
            case .isFolder: throw .isFolder(path: path)
            case .notRegular: throw .notReadable(path: path, errno: 0)
            case .failed(let errno): throw .notReadable(path: path, errno: errno)
            }
        }
    }

    package func tensor(_ name: String) throws -> WeightTensor {
        guard let tensor = tensors[name] else { throw ModelError.missingTensors(path: path, names: [name]) }
        return tensor
    }
}
