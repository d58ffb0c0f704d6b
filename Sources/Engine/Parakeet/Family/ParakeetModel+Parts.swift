package import EngineCompute
package import EngineModels

extension ParakeetModel {
    package func part(of operation: NetworkOperation) -> ModelPart? {
        switch operation {
        case .product(let weight): Self.part(ofWeight: weight)
        case .attention: ModelPart(.encoder, "attention")
        case .gate, .convolveRows: ModelPart(.encoder, "convolution modules")
        case .halve: ModelPart(.encoder, "subsampling")
        case .cachedAttention, .crossAttention, .crossFill: nil
        }
    }

    /// By the names of `ParakeetShapes`; one without a name is that for the language prompt.
    private static func part(ofWeight name: String) -> ModelPart? {
        let parts: [(String, ModelPart.Stage, String)] = [
            ("encoder.subsampling.", .encoder, "subsampling"), (".feed_forward", .encoder, "feed-forward modules"),
            (".self_attn.", .encoder, "QKV and output projections"), (".conv.", .encoder, "convolution modules"),
            ("prompt_projector.", .encoder, "prompt projection"), ("ctc_head.", .decoder, "CTC head"),
            ("decoder.", .decoder, "prediction network"), ("joint.", .decoder, "joint network"),
            ("encoder_projector.", .decoder, "joint network, encoder projection"),
        ]
        if name.isEmpty { return ModelPart(.encoder, "prompt projection") }
        return parts.first { name.contains($0.0) }.map { ModelPart($0.1, $0.2) }
    }
}
