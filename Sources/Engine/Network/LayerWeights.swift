/// Gain and shift of a layer norm.
struct NormWeights: Sendable {
    let gain: Tensor
    let shift: Tensor
}

/// A matrix with its bias.
struct LinearWeights: Sendable {
    let matrix: any PackedMatrix
    let bias: Tensor?
}

/// An encoder block.
struct EncoderBlockWeights: Sendable {
    let attentionNorm: NormWeights
    /// Query, key and value stacked: `[3n, n]`.
    let queryKeyValue: LinearWeights
    let attentionOut: LinearWeights
    let mlpNorm: NormWeights
    let mlpIn: LinearWeights
    let mlpOut: LinearWeights
}

/// A decoder block: an encoder block with cross-attention between.
struct DecoderBlockWeights: Sendable {
    let block: EncoderBlockWeights
    let crossNorm: NormWeights
    let crossQuery: LinearWeights
    /// Key and value stacked: `[2n, n]`, applied to the encoder's output once per window.
    let crossKeyValue: LinearWeights
    let crossOut: LinearWeights
}
