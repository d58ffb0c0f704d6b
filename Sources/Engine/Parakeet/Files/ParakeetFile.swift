package import EngineModels
import EngineWeights

/// A FastConformer recognizer in a file or folder of any format: sizes, vocabulary, and tensors under the names of a
/// Hugging Face folder.
package protocol ParakeetFile: StoredModel {
    var dimensions: ParakeetDimensions { get }
    var vocabulary: ParakeetVocabulary { get }
}

extension ParakeetFile {
    /// Checks that the file has all tensors in their shapes, and no others.
    func checkTensors() throws(ModelError) {
        var rest = tensors, missing: [String] = []
        for (name, shape) in ParakeetShapes.all(dimensions) {
            guard let tensor = rest.removeValue(forKey: name) else {
                missing.append(name)
                continue
            }
            if tensor.shape != shape {
                throw .wrongShape(path: path, tensor: name, expected: shape, found: tensor.shape)
            }
        }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        if let unknown = rest.values.min(by: { $0.name < $1.name }) {
            throw .unknownTensor(path: path, name: unknown.name, offset: unknown.bytes.lowerBound)
        }
    }
}
