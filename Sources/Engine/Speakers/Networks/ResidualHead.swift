/// The two-dimensional convolutions at the start of CAM++: from 80 bands to 32 channels of 10 bands.
struct ResidualHead: Sendable {
    static let channels = 32
    static let bands = 10
    static let outputs = channels * bands

    private let first: PlaneConvolution
    private let blocks: [Block]
    private let last: PlaneConvolution
    private let backend: any ComputeBackend

    private struct Block {
        let first: PlaneConvolution
        let second: PlaneConvolution
        /// `nil` adds the input itself.
        let shortcut: PlaneConvolution?
    }

    init(_ weights: NetworkWeights) throws {
        func convolution(_ name: String, _ norm: String, inputs: Int = Self.channels, size: Int = 3, stride: Int = 1)
            throws
            -> PlaneConvolution
        {
            try PlaneConvolution(
                weights, "head.\(name).weight", norm: "head.\(norm)", inputs: inputs, outputs: Self.channels,
                size: size,
                stride: stride)
        }
        backend = weights.backend
        first = try convolution("conv1", "bn1", inputs: 1)
        blocks = try [("layer1.0", 2), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)].map { name, stride in
            Block(
                first: try convolution("\(name).conv1", "\(name).bn1", stride: stride),
                second: try convolution("\(name).conv2", "\(name).bn2"),
                shortcut: stride == 1
                    ? nil : try convolution("\(name).shortcut.0", "\(name).shortcut.1", size: 1, stride: stride))
        }
        last = try convolution("conv2", "bn2", stride: 2)
    }

    /// - Parameter features: `[frames, 80]`.
    /// - Returns: a plane of 10 bands.
    func apply(_ features: Tensor) throws -> Plane {
        let frames = features.count / KaldiFeatures.bands
        let input = try Plane(frames: frames, bands: KaldiFeatures.bands, channels: 1)
        for frame in 0..<frames {
            input.tensor.copy(
                features, from: frame * input.bands, count: input.bands, at: input.offset(frame: frame, band: 0))
        }
        var x = try Plane(frames: frames, bands: input.bands, channels: Self.channels)
        first.apply(input, into: x, on: backend)
        x.rectify()
        for block in blocks {
            let bands = block.first.stride == 1 ? x.bands : x.bands / 2
            let y = try Plane(frames: frames, bands: bands, channels: Self.channels)
            block.first.apply(x, into: y, on: backend)
            y.rectify()
            var sum = x
            if let shortcut = block.shortcut {
                sum = try Plane(frames: frames, bands: bands, channels: Self.channels)
                shortcut.apply(x, into: sum, on: backend)
            }
            block.second.apply(y, accumulate: true, into: sum, on: backend)
            sum.rectify()
            x = sum
        }
        let out = try Plane(frames: frames, bands: x.bands / 2, channels: Self.channels)
        last.apply(x, into: out, on: backend)
        out.rectify()
        return out
    }
}

/// Bands and frames with several channels, `[frames, bands, channels]`, surrounded by zeros.
struct Plane {
    let tensor: Tensor
    let frames: Int
    let bands: Int
    let channels: Int

    init(frames: Int, bands: Int, channels: Int) throws {
        tensor = try Tensor(count: (frames + 2) * (bands + 2) * channels)
        self.frames = frames
        self.bands = bands
        self.channels = channels
    }

    /// The numbers in a frame, with its border.
    var pitch: Int { (bands + 2) * channels }

    /// -1 and `frames`, and -1 and `bands`, are the border.
    func offset(frame: Int, band: Int) -> Int { (frame + 1) * pitch + (band + 1) * channels }

    /// Applies ReLU and clears the border.
    func rectify() {
        LayerKernels.leaky(tensor.rows(frames, columns: pitch, from: pitch))
        for frame in -1..<frames {
            // The border after this frame and before the next.
            let start = offset(frame: frame, band: bands)
            tensor.fill(start..<(start + 2 * channels), with: 0)
        }
        tensor.fill((tensor.count - pitch - channels)..<tensor.count, with: 0)
    }
}

/// A convolution over three bands and three frames, or one of each, with a stride along the bands, followed by a batch
/// normalization.
struct PlaneConvolution: Sendable {
    let stride: Int
    /// For each of the frames, from early to late.
    private let frames: [LinearLayer]
    private let inputs: Int
    private let size: Int

    init(
        _ weights: NetworkWeights, _ name: String, norm: String, inputs: Int, outputs: Int, size: Int, stride: Int
    ) throws {
        self.stride = stride
        self.inputs = inputs
        self.size = size
        let stored = try weights.numbers(name, [outputs, inputs, size, size])
        let (scale, shift) = try weights.normalization(norm, channels: outputs)
        frames = try (0..<size).map { frame in
            let part = try Tensor(count: outputs * size * inputs)
            for output in 0..<outputs {
                for band in 0..<size {
                    for input in 0..<inputs {
                        part[(output * size + band) * inputs + input] =
                            stored[((output * inputs + input) * size + band) * size + frame]
                    }
                }
            }
            return LinearLayer(
                try weights.pack(part, outputs: outputs, order: { $0 }, scale: scale), bias: frame == 0 ? shift : nil)
        }
    }

    /// Writes or adds the result, and arbitrary numbers to the border.
    func apply(_ x: Plane, accumulate: Bool = false, into y: Plane, on backend: any ComputeBackend) {
        let reach = size / 2
        for (index, layer) in frames.enumerated() {
            func multiply(frame: Int, rows: Int) {
                layer.apply(
                    TensorView(
                        x.tensor, offset: x.offset(frame: frame + index - reach, band: -reach), rows: rows,
                        columns: size * inputs, stride: stride * inputs),
                    accumulate: accumulate || index > 0,
                    into: y.tensor.rows(rows, columns: y.channels, from: y.offset(frame: frame, band: 0)), on: backend)
            }
            if stride == 1 {
                // All frames at once, with the bands of the border between them.
                multiply(frame: 0, rows: x.frames * (x.bands + 2) - 2)
            } else {
                for frame in 0..<x.frames { multiply(frame: frame, rows: y.bands) }
            }
        }
    }
}
