import EngineCompute
import EngineWeights

/// Half of `W₂ · silu(W₁ · norm(x))`, which is added to x before and after attention and convolution.
struct FeedForwardModule: Sendable {
    let norm: NormLayer
    let first: LinearLayer
    /// Halved.
    let second: LinearLayer

    /// - Parameters:
    ///   - normed: memory of the size of x.
    ///   - wide: memory for x between the two linear layers.
    func apply(to x: TensorView, normed: TensorView, wide: TensorView, on backend: any ComputeBackend) {
        norm.apply(x, into: normed, on: backend)
        first.apply(normed, activation: .silu, into: wide)
        second.apply(wide, accumulate: true, into: x)
    }
}

/// Attention with relative positions.
struct AttentionModule: Sendable {
    let norm: NormLayer
    /// Query, key and value stacked: `[3n, n]`.
    let queryKeyValue: LinearLayer
    let positions: any PackedPositions
    let out: LinearLayer

    /// - Parameter wide: memory for 4 times the numbers of x.
    func apply(to x: TensorView, normed: TensorView, wide: Tensor, on backend: any ComputeBackend) {
        let n = x.columns, projected = wide.rows(x.rows, columns: 3 * n)
        let attended = wide.rows(x.rows, columns: n, from: 3 * n * x.rows)
        norm.apply(x, into: normed, on: backend)
        queryKeyValue.apply(normed, into: projected)
        backend.attention(
            queries: projected.slice(columns: 0..<n), keys: projected.slice(columns: n..<(2 * n)),
            values: projected.slice(columns: (2 * n)..<(3 * n)), positions: positions, into: attended)
        out.apply(attended, accumulate: true, into: x)
    }
}

/// A gated linear layer, and a convolution over time of each column with its batch normalization.
struct ConvolutionModule: Sendable {
    let norm: NormLayer
    let first: LinearLayer
    /// `[taps, n]`, scaled by the batch normalization.
    let kernel: Tensor
    let bias: Tensor
    let second: LinearLayer

    /// - Parameter wide: memory for 4 times the numbers of x.
    func apply(to x: TensorView, normed: TensorView, wide: Tensor, on backend: any ComputeBackend) {
        let n = x.columns, double = wide.rows(x.rows, columns: 2 * n)
        let gated = wide.rows(x.rows, columns: n, from: 2 * n * x.rows)
        let convolved = wide.rows(x.rows, columns: n, from: 3 * n * x.rows)
        norm.apply(x, into: normed, on: backend)
        first.apply(normed, into: double)
        backend.gate(double, into: gated)
        backend.convolveRows(gated, kernel: kernel, bias: bias, activation: .silu, into: convolved)
        second.apply(convolved, accumulate: true, into: x)
    }
}

/// A layer of the encoder, whose modules are applied in this order.
struct ConformerLayer: Sendable {
    let feedForward1: FeedForwardModule
    let attention: AttentionModule
    let convolution: ConvolutionModule
    let feedForward2: FeedForwardModule
    let norm: NormLayer
}

/// The convolutions that make one frame of 8, and a linear layer.
struct Subsampling: Sendable {
    /// A convolution of each channel, and a linear layer over all channels of a pixel.
    struct Stage: Sendable {
        let kernels: ImageKernels
        let pointwise: LinearLayer
    }

    let entry: ImageKernels
    let stages: [Stage]
    /// From `[bands, channels]`.
    let linear: LinearLayer
    /// Multiplied with the result, if any.
    let scale: (factors: Tensor, zeros: Tensor)?
}

/// The network that says which tokens may follow those before, and its joint with the encoder's frames.
struct TransducerLayers: Sendable {
    /// A row for each token and the blank.
    let embedding: any PackedMatrix
    let recurrent: [LSTMLayer]
    let predictionProjection: LinearLayer
    let encoderProjection: LinearLayer
    let joint: LinearLayer
}

/// The layers after the encoder.
enum DecoderLayers: Sendable {
    case ctc(LinearLayer)
    case transducer(TransducerLayers)
}
