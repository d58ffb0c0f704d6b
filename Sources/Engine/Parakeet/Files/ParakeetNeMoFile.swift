package import EngineBasics
import EngineModels
package import EngineWeights

/// A model as NVIDIA's NeMo stores it: a tar archive of its settings, its weights as PyTorch writes them, and its
/// tokenizer.
package struct ParakeetNeMoFile: ParakeetFile {
    package let path: FilePath
    package let dimensions: ParakeetDimensions
    package let vocabulary: ParakeetVocabulary
    package let tensors: [String: WeightTensor]
    package let featureTables: [ParakeetFeatures.Table: WeightTensor]
    package var format: String { "NeMo" }
    private let weights: PyTorchStateDictionary

    private static let weightsName = "model_weights.ckpt"
    private static let tokenizerSuffix = "tokenizer.model"

    /// Whether a file is a tar archive, or a compressed one with the name of such a model, which `init` names in its
    /// error.
    package static func recognizes(_ path: FilePath) -> Bool {
        guard let file = try? ReadOnlyFile(path),
            let first = try? file.bytes(0..<min(file.count, ModelFileKind.headBytes))
        else { return false }
        return TarArchive.recognizes(first) || isCompressed(first) && path.lowercasedExtension == "nemo"
    }

    private static func isCompressed(_ first: [UInt8]) -> Bool { first.starts(with: [0x1f, 0x8b]) }

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        self.path = path
        let file: ReadOnlyFile, first: [UInt8]
        do throws(FileError) {
            file = try ReadOnlyFile(path)
            first = try file.bytes(0..<min(file.count, 2))
        } catch { throw ModelError(error, path: path) }
        if Self.isCompressed(first) {
            throw .anotherFormat(
                path: path, looksLike: "a compressed NeMo model",
                instead: "unpack it first: gunzip < \(path) > unpacked.nemo")
        }
        let archive = try TarArchive(file)
        guard let settings = archive.member(NeMoSettings.name), let stored = archive.member(Self.weightsName) else {
            throw .anotherFormat(
                path: path, looksLike: "a tar archive without a NeMo model", instead: ParakeetFormats.another)
        }
        let config = try NeMoSettings(settings)
        vocabulary = try ParakeetVocabulary(sentencePiece: Self.tokenizer(config, archive))
        dimensions = try config.dimensions(vocabulary: vocabulary.pieces.count)
        let kind: ModelFileKind
        do throws(FileError) { kind = try ModelFileKind(of: stored) } catch { throw ModelError(error, path: path) }
        guard kind == .zip else {
            throw .badContents(
                path: path, problem: "has weights in another format than PyTorch's since version 1.6")
        }
        weights = try PyTorchStateDictionary(stored)
        tensors = try ParakeetShapes.tensors(
            dimensions, .pyTorch, from: weights, name: NeMoNames.own, isSpare: NeMoNames.isSpare)
        featureTables = try weights.featureTables(
            [.filters: "preprocessor.featurizer.fb", .window: "preprocessor.featurizer.window"],
            bands: dimensions.bands)
    }

    package func verify() throws(ModelError) { try weights.verify() }

    /// The SentencePiece model: the one that the settings name, else the only one.
    private static func tokenizer(_ settings: NeMoSettings, _ archive: TarArchive) throws(ModelError) -> ReadOnlyFile {
        let named = settings.tokenizer.flatMap { archive.member($0) }
        let others = archive.members.keys.filter { $0.hasSuffix(tokenizerSuffix) }
        guard let file = named ?? (others.count == 1 ? archive.member(others[0]) : nil) else {
            let name = ShellQuoting.shown(settings.tokenizer ?? tokenizerSuffix)
            throw .missingFiles(path: archive.file.path, names: [name], purpose: "the vocabulary")
        }
        return file
    }
}

extension TensorFile {
    /// The tables of features under these names, as far as there are any.
    func featureTables(
        _ names: [ParakeetFeatures.Table: String], bands: Int
    ) throws(ModelError) -> [ParakeetFeatures.Table: WeightTensor] {
        var tables: [ParakeetFeatures.Table: WeightTensor] = [:]
        for (table, name) in names {
            guard let tensor = tensors[name] else { continue }
            let shape = table.shape(bands: bands)
            guard WeightTensor.isSame(tensor.shape, shape) else {
                throw .wrongShape(path: path, tensor: name, expected: shape, found: tensor.shape)
            }
            tables[table] = tensor
        }
        return tables
    }
}
