package import EngineBasics

/// An OpenAI checkpoint (`tiny.en.pt`): dimensions and weights, saved by PyTorch 1.6 or later.
///
/// It has no vocabulary, so the built-in one is used.
package struct PyTorchFile: WeightFile {
    package let dimensions: ModelDimensions
    package var vocabulary: Vocabulary { .builtIn(size: dimensions.nVocab) }
    package var alignmentHeads: [AlignmentHead]? { nil }
    package var path: FilePath { archive.path }
    private let archive: PyTorchArchive
    package let tensors: [String: WeightTensor]

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        archive = try PyTorchArchive(path)
        guard let root = archive.pickle.members(archive.pickle.root) else {
            throw .badCheckpoint(path: path, problem: "is not a dictionary")
        }
        guard let dims = root.last(where: { $0.key.text == "dims" })?.value,
            let state = root.last(where: { $0.key.text == "model_state_dict" })?.value
        else { throw .otherCheckpoint(path: path, keys: root.compactMap(\.key.text)) }
        guard let fields = archive.pickle.members(dims), let members = archive.pickle.members(state) else {
            throw .badCheckpoint(path: path, problem: "has dims or model_state_dict that are not dictionaries")
        }
        dimensions = try Self.dimensions(fields, path: path)
        tensors = try archive.tensors(members)
        try Self.check(tensors, dimensions, path: path)
    }

    package func checkUnchanged() throws(ModelError) {
        if !archive.file.isUnchanged { throw .changedWhileRead(path: path) }
    }

    package func verify() throws(ModelError) { try archive.verify() }

    private static func dimensions(
        _ fields: [(key: PickleValue, value: PickleValue)], path: FilePath
    ) throws(ModelError) -> ModelDimensions {
        func field(_ key: ModelDimensions.CodingKeys) throws(ModelError) -> Int {
            let name = key.rawValue
            guard let value = fields.last(where: { $0.key.text == name })?.value.int else {
                throw .badCheckpoint(path: path, problem: "has no number \(name) in dims")
            }
            return value
        }
        let dimensions = ModelDimensions(
            nMels: try field(.nMels), nAudioCtx: try field(.nAudioCtx), nAudioState: try field(.nAudioState),
            nAudioHead: try field(.nAudioHead), nAudioLayer: try field(.nAudioLayer), nVocab: try field(.nVocab),
            nTextCtx: try field(.nTextCtx), nTextState: try field(.nTextState), nTextHead: try field(.nTextHead),
            nTextLayer: try field(.nTextLayer))
        try dimensions.check(path: path)
        return dimensions
    }

    /// Checks names and shapes against the dimensions.
    private static func check(
        _ tensors: [String: WeightTensor], _ dimensions: ModelDimensions, path: FilePath
    ) throws(ModelError) {
        let expected = TensorShapes.all(dimensions)
        let missing = expected.map(\.name).filter { tensors[$0] == nil }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        for (name, shape) in expected {
            if let found = tensors[name]?.shape, found != shape {
                throw .wrongShape(path: path, tensor: name, expected: shape, found: found)
            }
        }
        if tensors.count > expected.count {
            let names = Set(expected.map(\.name))
            if let stray = tensors.values.filter({ !names.contains($0.name) }).min(by: { $0.name < $1.name }) {
                throw .unknownTensor(path: path, name: stray.name, offset: stray.bytes.lowerBound)
            }
        }
    }
}

/// The tensors of a PyTorch file that is a flat dictionary, such as Hugging Face's `pytorch_model.bin`, by name.
package struct PyTorchStateDictionary: Sendable {
    package let tensors: [String: WeightTensor]
    package var path: FilePath { archive.path }
    private let archive: PyTorchArchive

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        archive = try PyTorchArchive(path)
        guard let members = archive.pickle.members(archive.pickle.root) else {
            throw .badCheckpoint(path: path, problem: "is not a dictionary")
        }
        tensors = try archive.tensors(members)
    }

    /// Throws if the file has changed since it was opened.
    package func checkUnchanged() throws(ModelError) {
        if !archive.file.isUnchanged { throw .changedWhileRead(path: path) }
    }

    /// Checks the file against the checksums in it, which reads all of it.
    package func verify() throws(ModelError) { try archive.verify() }
}
