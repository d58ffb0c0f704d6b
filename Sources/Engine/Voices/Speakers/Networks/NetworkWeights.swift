import EngineCompute
import EngineWeights

/// The tensors of one network in a safetensors file, whose names have a common prefix.
struct NetworkWeights {
    let file: SafetensorsFile
    /// Such as `embedding.`.
    let prefix: String
    let backend: any ComputeBackend
    /// Computes in float32 what the first layers make of the samples: high frequencies are weak, and coarser numbers
    /// would drown them in the noise of the strong ones.
    let exact: any ComputeBackend

    func hasTensor(_ name: String, _ shape: [Int]) -> Bool {
        file.tensors[prefix + name]?.shape == shape
    }

    /// The numbers of a tensor.
    ///
    /// - Throws: `ModelError` if it is missing, misshapen or not finite; `ComputeError`.
    func numbers(_ name: String, _ shape: [Int]) throws -> Tensor {
        try file.tensor(prefix + name, shape: shape).floats()
    }

    /// A linear layer, `[outputs, inputs]`, followed by a batch normalization unless `norm` is `nil`.
    func linear(
        _ name: String, _ shape: [Int], outputs: Int, norm: String? = nil, hasScale: Bool = true,
        order: (Int) -> Int = { $0 }
    ) throws -> LinearLayer {
        let stored = try numbers(name, shape), inputs = stored.count / outputs
        guard let norm else {
            return LinearLayer(try pack(stored, outputs: outputs, order: order, scale: nil), bias: nil)
        }
        let (scale, shift) = try normalization(norm, channels: outputs, hasScale: hasScale)
        precondition(inputs * outputs == stored.count)
        return LinearLayer(try pack(stored, outputs: outputs, order: order, scale: scale), bias: shift)
    }

    /// Packs a weight whose rows are reordered (`order` gives the stored index of each input) and scaled.
    func pack(
        _ stored: Tensor, outputs: Int, order: (Int) -> Int, scale: Tensor?
    ) throws -> any PackedMatrix {
        let inputs = stored.count / outputs
        let weight = try Tensor(count: stored.count)
        for output in 0..<outputs {
            let row = stored.values((output * inputs)..<((output + 1) * inputs)), factor = scale?[output] ?? 1
            weight.write((0..<inputs).map { row[order($0)] * factor }, at: output * inputs)
        }
        // With 8 bits, the error rates of docs/speakers.md were measured with more for layers of these shapes.
        let use = inputs > outputs && inputs % outputs == 0 ? MatrixUse.activatedRows : .manyRows
        return try backend.prepare(weight, outputs: outputs, inputs: inputs, for: use)
    }

    /// A batch normalization as factors and summands, ε = 1e-5.
    ///
    /// - Parameter hasScale: false for one without weight and bias.
    func normalization(
        _ name: String, channels: Int, hasScale: Bool = true
    ) throws -> (scale: Tensor, shift: Tensor) {
        let mean = try numbers(name + ".running_mean", [channels])
        let variance = try numbers(name + ".running_var", [channels])
        let weight = hasScale ? try numbers(name + ".weight", [channels]) : nil
        let bias = hasScale ? try numbers(name + ".bias", [channels]) : nil
        let scale = try Tensor(count: channels), shift = try Tensor(count: channels)
        for i in 0..<channels {
            scale[i] = (weight?[i] ?? 1) / (variance[i] + 1e-5).squareRoot()
            shift[i] = (bias?[i] ?? 0) - mean[i] * scale[i]
        }
        return (scale, shift)
    }
}
