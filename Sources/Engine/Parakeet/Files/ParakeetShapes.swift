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
        var shapes = linear("\(name).layers.0", [c, 1, 3, 3])
        for (depthwise, pointwise) in [(2, 3), (5, 6)] {
            shapes += linear("\(name).layers.\(depthwise)", [c, 1, 3, 3])
            shapes += linear("\(name).layers.\(pointwise)", [c, c, 1, 1])
        }
        return shapes + linear("\(name).linear", [d.width, c * d.subsampledBands])
    }

    private static func layer(_ d: ParakeetDimensions, _ name: String) -> [(name: String, shape: [Int])] {
        let n = d.width, convolution = "\(name).conv", attention = "\(name).self_attn"
        let hasBias = d.hasLinearBias, hasConvolutionBias = d.hasConvolutionBias
        var shapes: [(name: String, shape: [Int])] = []
        for part in ["feed_forward1", "self_att", "conv", "feed_forward2", "out"] {
            shapes += norm("\(name).norm_\(part)", n)
        }
        for half in [1, 2] {
            shapes += linear("\(name).feed_forward\(half).linear1", [d.feedForward, n], bias: hasBias)
            shapes += linear("\(name).feed_forward\(half).linear2", [n, d.feedForward], bias: hasBias)
        }
        for part in ["q", "k", "v", "o"] { shapes += linear("\(attention).\(part)_proj", [n, n], bias: hasBias) }
        shapes += linear("\(attention).relative_k_proj", [n, n], bias: false)
        for part in ["u", "v"] { shapes.append(("\(attention).bias_\(part)", [d.heads, n / d.heads])) }
        shapes += linear("\(convolution).pointwise_conv1", [2 * n, n, 1], bias: hasConvolutionBias)
        shapes += linear("\(convolution).depthwise_conv", [n, 1, d.taps], bias: hasConvolutionBias)
        shapes += linear("\(convolution).pointwise_conv2", [n, n, 1], bias: hasConvolutionBias)
        shapes += norm("\(convolution).norm", n)
        if d.streaming == nil {
            for part in ["running_mean", "running_var"] { shapes.append(("\(convolution).norm.\(part)", [n])) }
        }
        return shapes
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
        var shapes: [(name: String, shape: [Int])] = [("decoder.embedding.weight", [d.choices, h])]
        for layer in 0..<d.predictionLayers {
            for part in ["ih", "hh"] { shapes.append(("decoder.lstm.weight_\(part)_l\(layer)", [4 * h, h])) }
            for name in recurrence.biases(layer: layer) { shapes.append((name, [4 * h])) }
        }
        shapes += linear("decoder.decoder_projector", [h, h])
        shapes += linear("encoder_projector", [h, d.width])
        return shapes + linear("joint.head", [d.jointOutputs, h])
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
