import EngineCompute
import EngineWeights
import Glibc

/// Reads tensors from a model and prepares them for the backend in the layout that the network uses.
struct ParakeetLoader {
    let file: any ParakeetFile
    let backend: any ComputeBackend
    /// Projects the positions of attention, in float32.
    private let exact: any ComputeBackend
    private let scratch = ScratchPool()
    private var d: ParakeetDimensions { file.dimensions }

    init(_ file: any ParakeetFile, backend: any ComputeBackend) throws {
        self.file = file
        self.backend = backend
        // Its weights are not kept.
        exact =
            backend.unmeasured is KernelBackend
            ? try ComputeOptions(computeType: .float32, threads: backend.threads).makeBackend() : backend
    }

    private func vector(_ name: String) throws -> Tensor { try file.tensor(name).floats(by: backend) }

    private func norm(_ name: String) throws -> NormLayer {
        NormLayer(gain: try vector(name + ".weight"), shift: try vector(name + ".bias"))
    }

    private func rows(_ names: [String], outputs: Int, inputs: Int) throws -> FileRows {
        try FileRows(
            try names.map { try file.tensor($0 + ".weight") }, outputs: outputs, inputs: inputs, scratch: scratch)
    }

    private func linear(
        _ names: String..., outputs: Int, inputs: Int, bias: Bool = true, halved: Bool = false,
        for use: MatrixUse = .manyRows
    ) throws -> LinearLayer {
        let rows = try rows(names, outputs: outputs, inputs: inputs)
        let weight = try backend.prepare(halved ? ScaledRows(rows, by: 0.5, scratch: scratch) : rows, for: use)
        guard bias else { return LinearLayer(weight, bias: nil) }
        var biases: [Float] = []
        for name in names {
            let own = try vector(name + ".bias")
            biases += own.values(0..<own.count)
        }
        return LinearLayer(weight, bias: try Tensor(halved ? biases.map { $0 / 2 } : biases))
    }

    func subsampling() throws -> Subsampling {
        let name = "encoder.subsampling", c = d.channels
        func kernels(_ layer: Int) throws -> ImageKernels {
            try ImageKernels(
                vector("\(name).layers.\(layer).weight"), bias: vector("\(name).layers.\(layer).bias"),
                before: d.imageBorder)
        }
        let flat = try ConvolutionRows(
            file.tensor("\(name).linear.weight"), frames: d.subsampledBands, scratch: scratch)
        return Subsampling(
            entry: try kernels(0),
            stages: try [2, 5].map {
                Subsampling.Stage(
                    kernels: try kernels($0),
                    pointwise: try linear("\(name).layers.\($0 + 1)", outputs: c, inputs: c, for: .firstRows))
            },
            linear: LinearLayer(
                try backend.prepare(flat, for: .firstRows), bias: try vector("\(name).linear.bias")),
            scale: d.scalesInput
                ? (
                    try Tensor([Float](repeating: Float(d.width).squareRoot(), count: d.width)),
                    try Tensor(count: d.width)
                ) : nil)
    }

    /// - Parameter positions: as `ParakeetPositions.table`, of as much reach as the encoder has.
    func layer(_ index: Int, positions: Tensor) throws -> ConformerLayer {
        let name = "encoder.layers.\(index)", n = d.width
        func feedForward(_ half: Int) throws -> FeedForwardModule {
            let name = "\(name).feed_forward\(half)", wide = d.feedForward
            return FeedForwardModule(
                norm: try norm("encoder.layers.\(index).norm_feed_forward\(half)"),
                first: try linear("\(name).linear1", outputs: wide, inputs: n, bias: d.hasLinearBias),
                second: try linear(
                    "\(name).linear2", outputs: n, inputs: wide, bias: d.hasLinearBias, halved: true,
                    for: .activatedRows))
        }
        return ConformerLayer(
            feedForward1: try feedForward(1), attention: try attention(name, positions: positions),
            convolution: try convolution(name), feedForward2: try feedForward(2), norm: try norm("\(name).norm_out"))
    }

    private func attention(_ layer: String, positions: Tensor) throws -> AttentionModule {
        let name = "\(layer).self_attn", n = d.width, count = positions.count / n
        let table = try Tensor(count: positions.count)
        // The product depends on nothing but the weights.
        if !((backend.unmeasured as? KernelBackend)?.hasPackedWeights ?? false) {
            let weight = try exact.prepare(rows(["\(name).relative_k_proj"], outputs: n, inputs: n), for: .once)
            LinearLayer(weight, bias: nil).apply(
                positions.rows(count, columns: n), into: table.rows(count, columns: n))
        }
        return AttentionModule(
            norm: try norm("\(layer).norm_self_att"),
            queryKeyValue: try linear(
                "\(name).q_proj", "\(name).k_proj", "\(name).v_proj", outputs: 3 * n, inputs: n, bias: d.hasLinearBias),
            positions: try backend.prepare(
                RelativePositions(
                    table: table, keyBias: try vector("\(name).bias_u"), positionBias: try vector("\(name).bias_v"),
                    heads: d.heads)),
            out: try linear("\(name).o_proj", outputs: n, inputs: n, bias: d.hasLinearBias))
    }

    private func convolution(_ layer: String) throws -> ConvolutionModule {
        let name = "\(layer).conv", n = d.width, hasBias = d.hasConvolutionBias
        let kernel = try vector("\(name).depthwise_conv.weight").transposed(rows: n)
        let bias = hasBias ? try vector("\(name).depthwise_conv.bias") : try Tensor(count: n)
        if d.streaming == nil { try fold("\(name).norm", into: kernel, bias) }
        return ConvolutionModule(
            norm: try norm("\(layer).norm_conv"),
            first: try linear("\(name).pointwise_conv1", outputs: 2 * n, inputs: n, bias: hasBias), kernel: kernel,
            before: d.streaming == nil ? d.taps / 2 : d.taps - 1, bias: bias,
            innerNorm: d.streaming == nil ? nil : try norm("\(name).norm"),
            second: try linear("\(name).pointwise_conv2", outputs: n, inputs: n, bias: hasBias))
    }

    /// Multiplies a batch normalization into the convolution before it.
    private func fold(_ name: String, into kernel: Tensor, _ bias: Tensor) throws {
        let gain = try vector(name + ".weight"), shift = try vector(name + ".bias"), n = d.width
        let mean = try vector(name + ".running_mean"), variance = try vector(name + ".running_var")
        for i in 0..<n {
            // PyTorch's ε.
            let scale = gain[i] / (variance[i] + 1e-5).squareRoot()
            for tap in 0..<d.taps { kernel[tap * n + i] *= scale }
            bias[i] = shift[i] + (bias[i] - mean[i]) * scale
        }
    }

    /// The layers that add the language prompt to the encoder's output.
    func promptProjection() throws -> PromptProjection? {
        guard let prompts = d.streaming?.prompts else { return nil }
        let n = d.width, wide = prompts.width, columns = n + prompts.count, name = "prompt_projector.linear_1"
        let all = try rows([name], outputs: wide, inputs: columns).floats(by: backend)
        let weight = try Tensor(count: wide * n), bias = try vector(name + ".bias")
        let biases = try (0..<prompts.count).map { _ in try Tensor(bias.values(0..<wide)) }
        for row in 0..<wide {
            weight.copy(all, from: row * columns, count: n, at: row * n)
            for (number, sum) in biases.enumerated() { sum[row] += all[row * columns + n + number] }
        }
        return PromptProjection(
            weight: try backend.prepare(weight, outputs: wide, inputs: n), biases: biases,
            second: try linear("prompt_projector.linear_2", outputs: n, inputs: wide, for: .activatedRows))
    }

    func decoder() throws -> DecoderLayers {
        if d.head == .ctc { return .ctc(try linear("ctc_head", outputs: d.choices, inputs: d.width)) }
        let h = d.prediction
        return .transducer(
            TransducerLayers(
                embedding: try backend.prepare(
                    rows(["decoder.embedding"], outputs: d.choices, inputs: h), for: .table),
                recurrent: try (0..<d.predictionLayers).map { try recurrent($0) },
                predictionProjection: try linear("decoder.decoder_projector", outputs: h, inputs: h, for: .fewRows),
                encoderProjection: try linear("encoder_projector", outputs: h, inputs: d.width),
                joint: try linear("joint.head", outputs: d.jointOutputs, inputs: h, for: .table)))
    }
}

extension ParakeetLoader {
    private func recurrent(_ layer: Int) throws -> LSTMLayer {
        let h = d.prediction, recurrence = file.recurrence
        /// Input, forget, cell and output gates of a stored tensor.
        func gates(_ name: String) throws(ModelError) -> [WeightTensor] {
            let tensor = try file.tensor(name)
            return recurrence.gates.map { tensor.rows(($0 * h)..<(($0 + 1) * h), named: name) }
        }
        func matrix(_ part: String) throws -> any PackedMatrix {
            let rows = try FileRows(
                gates("decoder.lstm.weight_\(part)_l\(layer)"), outputs: 4 * h, inputs: h, scratch: scratch)
            return try backend.prepare(rows, for: .fewRows)
        }
        return try LSTMLayer(
            input: matrix("ih"), recurrent: matrix("hh"),
            biases: recurrence.biases(layer: layer).map { name in
                let bias = try Tensor(count: 4 * h)
                for (index, part) in try gates(name).enumerated() { try part.write(to: bias, at: index * h, by: nil) }
                return bias
            })
    }
}

/// The sines and cosines by which attention knows distances.
enum ParakeetPositions {
    /// Row r is for the distance `reach − r`: the sine of its product with each frequency, followed by the cosine.
    static func table(reach: Int, width: Int) throws -> Tensor {
        let frequencies = (0..<(width / 2)).map { pow(10_000, -2 * Double($0) / Double(width)) }
        return try Tensor(
            (0...(2 * reach)).flatMap { row in
                frequencies.flatMap { frequency in
                    let angle = Double(reach - row) * frequency
                    return [Float(sin(angle)), Float(cos(angle))]
                }
            })
    }
}
