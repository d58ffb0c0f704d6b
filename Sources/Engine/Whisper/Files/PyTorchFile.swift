package import EngineBasics
package import EngineWeights

/// An OpenAI checkpoint (`tiny.en.pt`): dimensions and weights, saved by PyTorch 1.6 or later.
///
/// It has no vocabulary, so the built-in one is used.
package struct PyTorchFile: WhisperFile {
    package let dimensions: ModelDimensions
    package var vocabulary: Vocabulary { .builtIn(size: dimensions.nVocab) }
    package var path: FilePath { archive.path }
    private let archive: PyTorchArchive
    package let tensors: [String: WeightTensor]
    package var format: String { "PyTorch" }

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        archive = try PyTorchArchive(path)
        let root = try archive.root
        guard root.keys.contains("dims"), root.keys.contains("model_state_dict") else {
            throw .otherCheckpoint(path: path, keys: root.keys)
        }
        guard let fields = root.dictionary("dims"), let state = root.dictionary("model_state_dict") else {
            throw .badCheckpoint(path: path, problem: "has dims or model_state_dict that are not dictionaries")
        }
        dimensions = try Self.dimensions(fields, path: path)
        tensors = try state.tensors()
        try Self.check(tensors, dimensions, path: path)
    }

    package func verify() throws(ModelError) { try archive.verify() }

    private static func dimensions(
        _ fields: PyTorchDictionary, path: FilePath
    ) throws(ModelError) -> ModelDimensions {
        func field(_ key: ModelDimensions.CodingKeys) throws(ModelError) -> Int {
            let name = key.rawValue
            guard let value = fields.integer(name) else {
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
