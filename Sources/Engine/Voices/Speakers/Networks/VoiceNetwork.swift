import EngineCompute

/// CAM++ (Wang et al. 2023): turns a second of speech into a vector that is similar for the same voice.
package final class VoiceNetwork: Sendable {
    /// The numbers in a vector.
    package static let size = 192
    /// Channels after the last block.
    private static let channels = 512
    private static let first = 128

    private let features: KaldiFeatures
    private let head: ResidualHead
    private let entry: LinearLayer
    private let blocks: [Block]
    private let norm: (scale: Tensor, shift: Tensor)
    private let last: LinearLayer

    private struct Block {
        let layers: [DenseLayer]
        let norm: (scale: Tensor, shift: Tensor)
        let transit: LinearLayer
        /// Channels after the layers.
        let channels: Int
    }

    /// - Throws: `ModelError`, `ComputeError`.
    init(_ weights: NetworkWeights) throws {
        features = try KaldiFeatures(backend: weights.exact)
        head = try ResidualHead(weights)
        let bands = ResidualHead.bands, wide = ResidualHead.channels
        // Stored by channel, band and frame; in memory by frame, band and channel.
        entry = try weights.linear(
            "xvector.tdnn.linear.weight", [Self.first, ResidualHead.outputs, 5], outputs: Self.first,
            norm: "xvector.tdnn.nonlinear.batchnorm",
            order: { index in
                let (frame, rest) = (index / ResidualHead.outputs, index % ResidualHead.outputs)
                return (rest % wide * bands + rest / wide) * 5 + frame
            })
        var channels = Self.first
        blocks = try [(12, 1), (24, 2), (16, 2)].enumerated().map { index, shape in
            let (count, dilation) = shape, name = "xvector.block\(index + 1)"
            let layers = try (0..<count).map { layer in
                try DenseLayer(
                    weights, "\(name).tdnnd\(layer + 1)", inputs: channels + layer * DenseLayer.growth,
                    dilation: dilation)
            }
            let all = channels + count * DenseLayer.growth
            channels = all / 2
            return Block(
                layers: layers,
                norm: try weights.normalization("xvector.transit\(index + 1).nonlinear.batchnorm", channels: all),
                transit: try weights.linear(
                    "xvector.transit\(index + 1).linear.weight", [all / 2, all, 1], outputs: all / 2),
                channels: all)
        }
        norm = try weights.normalization("xvector.out_nonlinear.batchnorm", channels: Self.channels)
        last = try weights.linear(
            "xvector.dense.linear.weight", [Self.size, 2 * Self.channels, 1], outputs: Self.size,
            norm: "xvector.dense.nonlinear.batchnorm", hasScale: false)
    }

    /// What the network computes for a piece of speech.
    package struct Stages: Sendable {
        /// `[frames, 80]`, without their mean.
        package var features: [Float] = []
        /// `[frames, 10, 32]`: bands and channels.
        package var head: [Float] = []
        /// Means and standard deviations over time, 1024 numbers.
        package var pooled: [Float] = []
        /// 192 numbers, not normalized.
        package var embedding: [Float] = []
    }

    /// - Parameter samples: at least 400 of them, -1…1.
    package func stages(of samples: [Float]) throws -> Stages {
        precondition(samples.count >= KaldiFeatures.frameSamples, "\(samples.count) samples")
        var stages = Stages()
        let mel = try features.logMel(samples), frames = mel.count / KaldiFeatures.bands
        stages.features = mel.values(0..<mel.count)
        stages.head = try head.apply(mel) { flattened($0) }
        var x = try enter(stages.head, frames: frames)
        for block in blocks {
            let all = try Tensor(count: x.rows * block.channels).rows(x.rows, columns: block.channels)
            copy(x, to: all)
            for layer in block.layers { layer.apply(all) }
            LayerKernels.scaleShift(all, scale: block.norm.scale, shift: block.norm.shift, slope: 0, into: all)
            x = try Tensor(count: x.rows * block.transit.outputs).rows(x.rows, columns: block.transit.outputs)
            block.transit.apply(all, into: x)
        }
        LayerKernels.scaleShift(x, scale: norm.scale, shift: norm.shift, slope: 0, into: x)
        let pooled = try pool(x), embedding = try Tensor(count: Self.size)
        last.apply(pooled.rows(1, columns: pooled.count), into: embedding.rows(1, columns: Self.size))
        stages.pooled = pooled.values(0..<pooled.count)
        stages.embedding = embedding.values(0..<Self.size)
        return stages
    }

    /// The vector of a voice, of length 1.
    package func vector(of samples: [Float]) throws -> [Float] {
        let embedding = try stages(of: samples).embedding
        let length = max(1e-9, embedding.reduce(0) { $0 + $1 * $1 }.squareRoot())
        return embedding.map { $0 / length }
    }

    /// The plane without its border.
    private func flattened(_ plane: Plane) -> [Float] {
        TensorView(
            plane.tensor, offset: plane.offset(frame: 0, band: 0), rows: plane.frames, columns: ResidualHead.outputs,
            stride: plane.pitch
        ).values
    }

    /// A convolution over five frames with stride 2, batch normalization and ReLU.
    private func enter(_ head: [Float], frames: Int) throws -> TensorView {
        let wide = ResidualHead.outputs, padded = try Tensor(count: (frames + 4) * wide)
        padded.write(head, at: 2 * wide)
        let count = (frames - 1) / 2 + 1
        let out = try Tensor(count: count * Self.first).rows(count, columns: Self.first)
        entry.apply(
            TensorView(padded, offset: 0, rows: count, columns: 5 * wide, stride: 2 * wide), into: out)
        LayerKernels.leaky(out)
        return out
    }

    private func copy(_ x: TensorView, to y: TensorView) {
        for row in 0..<x.rows {
            y.tensor.copy(
                x.tensor, from: x.offset + row * x.stride, count: x.columns, at: y.offset + row * y.stride)
        }
    }

    /// Mean and standard deviation (n − 1) of each channel over time.
    private func pool(_ x: TensorView) throws -> Tensor {
        let pooled = try Tensor(count: 2 * x.columns), mean = try Tensor(count: x.columns)
        let squares = try Tensor(count: x.columns)
        LayerKernels.moments(x, mean: mean, squares: squares)
        pooled.copy(mean, at: 0)
        for i in 0..<x.columns {
            // Of a single frame, as in the original.
            pooled[x.columns + i] = x.rows > 1 ? (squares[i] / Float(x.rows - 1)).squareRoot() : 0.01
        }
        return pooled
    }
}
