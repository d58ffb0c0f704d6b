import EngineBasics
import EngineWeights

/// Names and shapes of all tensors of a model, named as in its Hugging Face folder.
enum ParakeetShapes {
    /// Without those that a file need not have.
    static func all(_ d: ParakeetDimensions, _ recurrence: RecurrenceLayout) -> [(name: String, shape: [Int])] {
        subsampling(d) + (0..<d.layers).flatMap { layer(d, "encoder.layers.\($0)") } + prompt(d) + head(d, recurrence)
    }

    private static func linear(_ name: String, _ shape: [Int], bias: Bool = true) -> [(name: String, shape: [Int])] {
        [(name + ".weight", shape)] + (bias ? [(name + ".bias", [shape[0]])] : [])
    }

    private static func norm(_ name: String, _ width: Int) -> [(name: String, shape: [Int])] {
        linear(name, [width])
    }

    private static func subsampling(_ d: ParakeetDimensions) -> [(name: String, shape: [Int])] {
        let name = "encoder.subsampling", c = d.channels
        return linear("\(name).layers.0", [c, 1, 3, 3])
            + [(2, 3), (5, 6)].flatMap { depthwise, pointwise in
                linear("\(name).layers.\(depthwise)", [c, 1, 3, 3])
                    + linear("\(name).layers.\(pointwise)", [c, c, 1, 1])
            } + linear("\(name).linear", [d.width, c * d.subsampledBands])
    }

    private static func layer(_ d: ParakeetDimensions, _ name: String) -> [(name: String, shape: [Int])] {
        let n = d.width, convolution = "\(name).conv", attention = "\(name).self_attn"
        let hasBias = d.hasLinearBias, hasConvolutionBias = d.hasConvolutionBias
        return ["feed_forward1", "self_att", "conv", "feed_forward2", "out"].flatMap { norm("\(name).norm_\($0)", n) }
            + [1, 2].flatMap { half in
                linear("\(name).feed_forward\(half).linear1", [d.feedForward, n], bias: hasBias)
                    + linear("\(name).feed_forward\(half).linear2", [n, d.feedForward], bias: hasBias)
            }
            + ["q", "k", "v", "o"].flatMap { linear("\(attention).\($0)_proj", [n, n], bias: hasBias) }
            + linear("\(attention).relative_k_proj", [n, n], bias: false)
            + ["u", "v"].map { ("\(attention).bias_\($0)", [d.heads, n / d.heads]) }
            + linear("\(convolution).pointwise_conv1", [2 * n, n, 1], bias: hasConvolutionBias)
            + linear("\(convolution).depthwise_conv", [n, 1, d.taps], bias: hasConvolutionBias)
            + linear("\(convolution).pointwise_conv2", [n, n, 1], bias: hasConvolutionBias)
            + norm("\(convolution).norm", n)
            + (d.streaming == nil ? ["running_mean", "running_var"] : []).map { ("\(convolution).norm.\($0)", [n]) }
    }

    private static func prompt(_ d: ParakeetDimensions) -> [(name: String, shape: [Int])] {
        guard let prompts = d.streaming?.prompts else { return [] }
        return linear("prompt_projector.linear_1", [prompts.width, d.width + prompts.count])
            + linear("prompt_projector.linear_2", [d.width, prompts.width])
    }

    private static func head(
        _ d: ParakeetDimensions, _ recurrence: RecurrenceLayout
    ) -> [(name: String, shape: [Int])] {
        if d.head == .ctc { return linear("ctc_head", [d.choices, d.width, 1]) }
        let h = d.prediction
        return [("decoder.embedding.weight", [d.choices, h])]
            + (0..<d.predictionLayers).flatMap { layer in
                ["ih", "hh"].map { ("decoder.lstm.weight_\($0)_l\(layer)", [4 * h, h]) }
                    + recurrence.biases(layer: layer).map { ($0, [4 * h]) }
            } + linear("decoder.decoder_projector", [h, h]) + linear("encoder_projector", [h, d.width])
            + linear("joint.head", [d.jointOutputs, h])
    }

    /// The tensors of a model in their shapes, by the names of a Hugging Face folder.
    ///
    /// - Parameters:
    ///   - name: the name in the file.
    ///   - isSpare: whether a file may have a tensor of that name that the network does not have.
    /// - Throws: `ModelError` for tensors that are missing, unknown or of another shape.
    static func tensors(
        _ d: ParakeetDimensions, _ recurrence: RecurrenceLayout, from file: any TensorFile,
        name: (String) -> String = { $0 }, isSpare: (String) -> Bool = { _ in false }
    ) throws(ModelError) -> [String: WeightTensor] {
        var rest = file.tensors, missing: [String] = [], tensors: [String: WeightTensor] = [:]
        for (own, shape) in all(d, recurrence) {
            let stored = name(own)
            guard let tensor = rest.removeValue(forKey: stored) else {
                missing.append(stored)
                continue
            }
            guard WeightTensor.isSame(tensor.shape, shape) else {
                throw .wrongShape(path: file.path, tensor: stored, expected: shape, found: tensor.shape)
            }
            tensors[own] = tensor.named(own, shape: shape)
        }
        if !missing.isEmpty { throw .missingTensors(path: file.path, names: missing) }
        if let unknown = rest.values.filter({ !isSpare($0.name) }).min(by: { $0.name < $1.name }) {
            throw .unknownTensor(path: file.path, name: unknown.name, offset: unknown.bytes.lowerBound)
        }
        return tensors
    }
}
