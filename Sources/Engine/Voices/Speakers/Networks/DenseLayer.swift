import EngineCompute
import Glibc

/// A layer of CAM++ that appends 32 channels to its input, gated by their context (Wang et al. 2023).
struct DenseLayer: Sendable {
    static let growth = 32
    private static let width = 128
    private static let contextWidth = 64
    /// Frames whose mean is the local context.
    private static let run = 100

    private let inputs: Int
    private let dilation: Int
    private let norm: (scale: Tensor, shift: Tensor)
    private let narrow: LinearLayer
    /// For each of three frames, from early to late.
    private let local: [LinearLayer]
    private let context: (first: Tensor, firstBias: Tensor, second: Tensor, secondBias: Tensor)
    private let backend: any ComputeBackend

    /// - Parameters:
    ///   - name: such as `xvector.block1.tdnnd1`.
    ///   - inputs: channels before this layer.
    init(_ weights: NetworkWeights, _ name: String, inputs: Int, dilation: Int) throws {
        self.inputs = inputs
        self.dilation = dilation
        backend = weights.backend
        norm = try weights.normalization("\(name).nonlinear1.batchnorm", channels: inputs)
        narrow = try weights.linear(
            "\(name).linear1.weight", [Self.width, inputs, 1], outputs: Self.width,
            norm: "\(name).nonlinear2.batchnorm")
        let stored = try weights.numbers("\(name).cam_layer.linear_local.weight", [Self.growth, Self.width, 3])
        local = try (0..<3).map { frame in
            let part = try Tensor(count: Self.growth * Self.width)
            for i in 0..<part.count { part[i] = stored[3 * i + frame] }
            return LinearLayer(try weights.pack(part, outputs: Self.growth, order: { $0 }, scale: nil), bias: nil)
        }
        let gate = "\(name).cam_layer.linear"
        context = (
            try weights.numbers("\(gate)1.weight", [Self.contextWidth, Self.width, 1]),
            try weights.numbers("\(gate)1.bias", [Self.contextWidth]),
            try weights.numbers("\(gate)2.weight", [Self.growth, Self.contextWidth, 1]),
            try weights.numbers("\(gate)2.bias", [Self.growth])
        )
    }

    /// Reads the first channels of x, `[frames, channels]`, and writes the next 32.
    func apply(_ x: TensorView) {
        let frames = x.rows, width = Self.width
        backend.withScratch(frames * inputs + (frames + 2 * dilation) * width) { scratch in
            let y = scratch.rows(frames, columns: inputs)
            LayerKernels.scaleShift(
                x.slice(columns: 0..<inputs), scale: norm.scale, shift: norm.shift, slope: 0, into: y)
            let start = frames * inputs, border = dilation * width
            let z = scratch.rows(frames, columns: width, from: start + border)
            narrow.apply(y, into: z)
            LayerKernels.leaky(z)
            scratch.fill(start..<(start + border), with: 0)
            scratch.fill((start + border + frames * width)..<(start + 2 * border + frames * width), with: 0)
            let out = x.slice(columns: inputs..<(inputs + Self.growth))
            for (index, layer) in local.enumerated() {
                layer.apply(
                    scratch.rows(frames, columns: width, from: start + index * border), accumulate: index > 0,
                    into: out)
            }
            gate(out, by: z)
        }
    }

    /// Multiplies each run of 100 frames with gates computed from the mean of all frames and that of the run.
    private func gate(_ out: TensorView, by z: TensorView) {
        let width = Self.width, wide = Self.contextWidth, growth = Self.growth
        backend.withScratch(3 * width + wide + 2 * growth) { scratch in
            let mean = scratch.rows(1, columns: width), hidden = scratch.rows(1, columns: wide, from: 3 * width)
            let gates = scratch.rows(1, columns: growth, from: 3 * width + wide)
            let whole = means(of: z)
            for first in stride(from: 0, to: z.rows, by: Self.run) {
                let rows = first..<min(z.rows, first + Self.run)
                let part = means(of: z.slice(rows: rows))
                scratch.write(zip(whole, part).map { $0 + $1 }, at: 0)
                SmallProduct.multiply(mean, context.first, bias: context.firstBias, into: hidden)
                LayerKernels.leaky(hidden)
                SmallProduct.multiply(hidden, context.second, bias: context.secondBias, into: gates)
                scale(out.slice(rows: rows), by: gates.values.map { 1 / (1 + expf(-$0)) })
            }
        }
    }

    private func means(of x: TensorView) -> [Float] {
        var values: [Float] = []
        backend.withScratch(Self.width) { mean in
            backend.withScratch(Self.width) { squares in
                LayerKernels.moments(x, mean: mean, squares: squares)
                values = mean.values(0..<Self.width)
            }
        }
        return values
    }

    private func scale(_ x: TensorView, by factors: [Float]) {
        backend.withScratch(x.columns) { scale in
            backend.withScratch(x.columns) { zeros in
                scale.write(factors, at: 0)
                zeros.fill(0..<x.columns, with: 0)
                LayerKernels.scaleShift(x, scale: scale, shift: zeros, into: x)
            }
        }
    }
}
