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

    /// - Parameters:
    ///   - wide: memory for 4 times the numbers of x, and 3 times those of the frames that are remembered.
    ///   - past: what is remembered of the frames before x, and receives those of x; `nil` if x is everything.
    func apply(
        to x: TensorView, normed: TensorView, wide: Tensor, after past: LayerPast? = nil, on backend: any ComputeBackend
    ) {
        let n = x.columns, earlier = past?.frames ?? 0
        let all = wide.rows(earlier + x.rows, columns: 3 * n), own = all.slice(rows: earlier..<all.rows)
        let keysAndValues = all.slice(columns: n..<(3 * n))
        let attended = wide.rows(x.rows, columns: n, from: 3 * n * all.rows)
        norm.apply(x, into: normed, on: backend)
        queryKeyValue.apply(normed, into: own)
        past?.recallKeys(into: keysAndValues)
        for (queries, keys) in past?.chunks(of: x.rows) ?? [(0..<x.rows, 0..<x.rows)] {
            backend.attention(
                queries: own.slice(rows: queries).slice(columns: 0..<n),
                keys: keysAndValues.slice(rows: keys).slice(columns: 0..<n),
                values: keysAndValues.slice(rows: keys).slice(columns: n..<(2 * n)), positions: positions,
                into: attended.slice(rows: queries))
        }
        past?.keepKeys(of: keysAndValues)
        out.apply(attended, accumulate: true, into: x)
    }
}

/// A gated linear layer, and a convolution over time of each column with a normalization.
struct ConvolutionModule: Sendable {
    let norm: NormLayer
    let first: LinearLayer
    /// `[taps, n]`, scaled by the batch normalization if there is one.
    let kernel: Tensor
    /// The frames before its own that a frame sees.
    let before: Int
    let bias: Tensor
    /// Instead of a batch normalization.
    let innerNorm: NormLayer?
    let second: LinearLayer

    /// - Parameters:
    ///   - wide: memory for 4 times the numbers of x, and those of the frames that are remembered.
    ///   - past: what is remembered of the frames before x, and receives those of x; `nil` if x is everything.
    func apply(
        to x: TensorView, normed: TensorView, wide: Tensor, after past: LayerPast? = nil, on backend: any ComputeBackend
    ) {
        let n = x.columns, double = wide.rows(x.rows, columns: 2 * n), earlier = past == nil ? 0 : before
        let gated = wide.rows(earlier + x.rows, columns: n, from: 2 * n * x.rows)
        let convolved = wide.rows(x.rows, columns: n, from: (2 * x.rows + gated.rows) * n)
        norm.apply(x, into: normed, on: backend)
        first.apply(normed, into: double)
        backend.gate(double, into: gated.slice(rows: earlier..<gated.rows))
        past?.recallGated(into: gated)
        backend.convolveRows(
            gated, kernel: kernel, before: before - earlier, bias: bias, activation: innerNorm == nil ? .silu : .none,
            into: convolved)
        past?.keepGated(of: gated)
        if let innerNorm {
            innerNorm.apply(convolved, into: convolved, on: backend)
            LayerKernels.activate(convolved, .silu)
        }
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

/// Two linear layers after the encoder, the first of which sees the language, too.
struct PromptProjection: Sendable {
    let weight: any PackedMatrix
    /// For each prompt.
    let biases: [Tensor]
    let second: LinearLayer

    /// - Parameter wide: memory for x between the two layers.
    func apply(to x: TensorView, prompt: Int, wide: TensorView) {
        weight.multiply(x, bias: biases[prompt], activation: .relu, accumulate: false, into: wide)
        second.apply(wide, into: x)
    }
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
