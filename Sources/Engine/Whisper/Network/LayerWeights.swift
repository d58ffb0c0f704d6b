import EngineCompute
import EngineWeights

/// The weights of an encoder block.
struct EncoderBlockWeights: Sendable {
    let attentionNorm: NormLayer
    /// Query, key and value stacked: `[3n, n]`.
    let queryKeyValue: LinearLayer
    let attentionOut: LinearLayer
    let mlpNorm: NormLayer
    let mlpIn: LinearLayer
    let mlpOut: LinearLayer
}

/// The weights of a decoder block: an encoder block with cross-attention between self-attention and MLP.
struct DecoderBlockWeights: Sendable {
    let block: EncoderBlockWeights
    let crossNorm: NormLayer
    let crossQuery: LinearLayer
    /// Key and value stacked: `[2n, n]`, applied to the encoder's output once per window.
    let crossKeyValue: LinearLayer
    let crossOut: LinearLayer
}

/// Reads tensors from a weight file and prepares them for the backend in the layout that the network uses.
struct WeightLoader {
    let file: any WhisperFile
    let backend: any ComputeBackend
    /// For reading rows.
    private let scratch = ScratchPool()

    /// Whether all matrices of the encoder are zero.
    func hasZeroEncoder() throws -> Bool {
        try TensorShapes.all(file.dimensions).lazy
            .filter { $0.name.hasPrefix("encoder.") && $0.name.hasSuffix(".weight") && $0.shape.count > 1 }
            .allSatisfy { try vector($0.name).isZero }
    }

    func vector(_ name: String) throws -> Tensor { try file.tensor(name).floats(by: backend) }

    func matrix(
        _ names: [String], outputs: Int, inputs: Int, for use: MatrixUse
    ) throws -> any PackedMatrix {
        let tensors = try names.map { try file.tensor($0) }
        return try backend.prepare(
            try FileRows(tensors, outputs: outputs, inputs: inputs, scratch: scratch), for: use)
    }

    func norm(_ name: String) throws -> NormLayer {
        NormLayer(gain: try vector(name + ".weight"), shift: try vector(name + ".bias"))
    }

    func linear(_ name: String, outputs: Int, inputs: Int, for use: MatrixUse) throws -> LinearLayer {
        LinearLayer(
            try matrix([name + ".weight"], outputs: outputs, inputs: inputs, for: use),
            bias: try vector(name + ".bias"))
    }

    /// Stacks several projections of the same input into one matrix. The key has no bias, so its section of the bias is
    /// zero.
    func stacked(_ prefix: String, _ parts: [String], width: Int, for use: MatrixUse) throws -> LinearLayer {
        let matrix = try matrix(
            parts.map { "\(prefix).\($0).weight" }, outputs: parts.count * width, inputs: width, for: use)
        let bias = try Tensor(count: parts.count * width)
        for (index, part) in parts.enumerated() where part != "key" {
            bias.copy(try vector("\(prefix).\(part).bias"), at: index * width)
        }
        return LinearLayer(matrix, bias: bias)
    }

    /// Loads a convolution over three frames as a matrix `[out, 3 · in]`.
    func convolution(_ name: String, for use: MatrixUse) throws -> LinearLayer {
        let rows = try ConvolutionRows(try file.tensor(name + ".weight"), frames: 3, scratch: scratch)
        return LinearLayer(try backend.prepare(rows, for: use), bias: try vector(name + ".bias"))
    }

    func block(_ name: String, width n: Int, for use: MatrixUse) throws -> EncoderBlockWeights {
        EncoderBlockWeights(
            attentionNorm: try norm(name + ".attn_ln"),
            queryKeyValue: try stacked(name + ".attn", ["query", "key", "value"], width: n, for: use),
            attentionOut: try linear(name + ".attn.out", outputs: n, inputs: n, for: use),
            mlpNorm: try norm(name + ".mlp_ln"),
            mlpIn: try linear(name + ".mlp.0", outputs: 4 * n, inputs: n, for: use),
            mlpOut: try linear(
                name + ".mlp.2", outputs: n, inputs: 4 * n, for: use == .manyRows ? .activatedRows : use))
    }

    func decoderBlock(_ name: String, width n: Int) throws -> DecoderBlockWeights {
        DecoderBlockWeights(
            block: try block(name, width: n, for: .fewRows),
            crossNorm: try norm(name + ".cross_attn_ln"),
            crossQuery: try linear(name + ".cross_attn.query", outputs: n, inputs: n, for: .fewRows),
            crossKeyValue: try stacked(name + ".cross_attn", ["key", "value"], width: n, for: .manyRows),
            crossOut: try linear(name + ".cross_attn.out", outputs: n, inputs: n, for: .fewRows))
    }
}
