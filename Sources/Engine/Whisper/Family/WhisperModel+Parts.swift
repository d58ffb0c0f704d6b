package import EngineCompute
package import EngineModels

extension WhisperModel {
    package func part(of operation: NetworkOperation) -> ModelPart? {
        switch operation {
        case .product(let weight): Self.part(ofWeight: weight)
        case .attention: ModelPart(.encoder, "attention")
        case .crossFill: ModelPart(.encoder, Self.crossKeys)
        case .cachedAttention: ModelPart(.decoder, "self-attention")
        case .crossAttention: ModelPart(.decoder, "cross-attention")
        case .gate, .convolveRows, .halve: nil
        }
    }

    private static let projections = "QKV and output projections"
    private static let crossKeys = "cross-attention keys and values"

    /// By the names of `TensorShapes`; keys and values are part of the matrix that begins with the query or the key.
    private static func part(ofWeight name: String) -> ModelPart? {
        if name.hasPrefix("encoder.") {
            let part = name.contains(".mlp.") ? "MLP" : name.contains(".attn.") ? projections : "convolutions"
            return ModelPart(.encoder, part)
        }
        if name.contains(".cross_attn.key.") { return ModelPart(.encoder, crossKeys) }
        let parts = [
            ".cross_attn.": "cross-attention query and output", ".attn.": projections, ".mlp.": "MLP",
            "token_embedding": "vocabulary projection",
        ]
        return parts.first { name.contains($0.key) }.map { ModelPart(.decoder, $0.value) }
    }
}
