import EngineBasics
import EngineWeights

/// Hugging Face's names for openai-whisper's tensors.
enum HuggingFaceNames {
    /// The output projection, which transformers stores only if it is not tied to the token embedding.
    static let projection = "proj_out.weight"
    static let embedding = "decoder.token_embedding.weight"

    private static let words = [
        "blocks": "layers", "positional_embedding": "embed_positions.weight", "token_embedding": "embed_tokens",
        "ln_post": "layer_norm", "ln": "layer_norm", "attn": "self_attn", "attn_ln": "self_attn_layer_norm",
        "cross_attn": "encoder_attn", "cross_attn_ln": "encoder_attn_layer_norm", "mlp_ln": "final_layer_norm",
        "query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "out_proj",
    ]

    /// The names that a tensor may have in a file, the usual one first: the bare model's names lack the prefix, and
    /// openai-whisper's own names also occur.
    ///
    /// - Parameter name: one of `TensorShapes`.
    static func candidates(for name: String) -> [String] {
        let parts = name.split(separator: ".").map(String.init)
        let isFeedForward = parts.count > 4 && parts[3] == "mlp"
        let hugging =
            isFeedForward
            ? (parts[..<3].map { words[$0] ?? $0 } + [parts[4] == "0" ? "fc1" : "fc2"] + parts[5...])
            : parts.map { words[$0] ?? $0 }
        let bare = hugging.joined(separator: ".")
        return ["model." + bare, bare, name, "model." + name]
    }

    /// Finds the tensors of a network in a file's tensors.
    ///
    /// - Parameters:
    ///   - stored: the tensors by the names in the file.
    ///   - dimensions: the dimensions according to `config.json`.
    /// - Returns: the tensors by openai-whisper's names.
    package static func tensors(
        _ stored: [String: WeightTensor], _ dimensions: ModelDimensions, path: FilePath
    ) throws(ModelError) -> [String: WeightTensor] {
        var rest = stored, tensors: [String: WeightTensor] = [:], missing: [String] = []
        for (name, shape) in TensorShapes.all(dimensions) {
            let candidates = candidates(for: name)
            let found = Set(candidates).filter { rest[$0] != nil }.sorted()
            guard let own = found.first, let tensor = rest[own] else {
                missing.append(candidates[0])
                continue
            }
            if found.count > 1 { throw .duplicateTensor(path: path, name: found.joined(separator: " and ")) }
            guard WeightTensor.isSame(tensor.shape, shape) else {
                throw .wrongShape(path: path, tensor: own, expected: shape, found: tensor.shape)
            }
            rest[own] = nil
            tensors[name] = tensor.named(name, shape: shape)
        }
        if rest.keys.contains(where: { $0.contains(".lora_") }) {
            throw .anotherFormat(
                path: path, looksLike: ModelFileKind.adapter.looksLike, instead: ModelFileKind.adapter.instead)
        }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        if let output = rest.removeValue(forKey: projection), let embedding = tensors[embedding] {
            guard output.type == embedding.type, output.shape == embedding.shape, output.strides == embedding.strides,
                try hasEqualBytes(output, embedding)
            else { throw .untiedOutput(path: path, tensor: projection) }
        }
        if let unknown = rest.values.min(by: { $0.name < $1.name }) {
            throw .unknownTensor(path: path, name: unknown.name, offset: unknown.bytes.lowerBound)
        }
        return tensors
    }

    private static func hasEqualBytes(_ one: WeightTensor, _ other: WeightTensor) throws(ModelError) -> Bool {
        do throws(FileError) {
            return try one.file.hasEqualBytes(one.bytes, other.bytes, of: other.file)
        } catch { throw ModelError(error, path: one.file.path) }
    }
}
