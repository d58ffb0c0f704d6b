import EngineCompute

/// The two-dimensional convolutions at the start of CAM++: from 80 bands to 32 channels of 10 bands.
struct ResidualHead: Sendable {
    static let channels = 32
    static let bands = 10
    static let outputs = channels * bands
    /// A frame of features, the one before and the one after, and a zero, so that all rows begin at whole words.
    private static let inputChannels = 4

    private let first: LinearLayer
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
        func convolution(_ name: String, _ norm: String, size: Int = 3, stride: Int = 1) throws -> PlaneConvolution {
            try PlaneConvolution(
                weights, "head.\(name).weight", norm: "head.\(norm)", channels: Self.channels, size: size,
                stride: stride)
        }
        backend = weights.backend
        first = try Self.first(weights)
        blocks = try [("layer1.0", 2), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)].map { name, stride in
            Block(
                first: try convolution("\(name).conv1", "\(name).bn1", stride: stride),
                second: try convolution("\(name).conv2", "\(name).bn2"),
                shortcut: stride == 1
                    ? nil : try convolution("\(name).shortcut.0", "\(name).shortcut.1", size: 1, stride: stride))
        }
        last = try convolution("conv2", "bn2", stride: 2)
    }

    /// The first convolution, whose inputs are three bands of `inputChannels`.
    private static func first(_ weights: NetworkWeights) throws -> LinearLayer {
        let stored = try weights.numbers("head.conv1.weight", [channels, 1, 3, 3])
        let (scale, shift) = try weights.normalization("head.bn1", channels: channels)
        let weight = try Tensor(count: channels * 3 * inputChannels)
        for output in 0..<channels {
            for band in 0..<3 {
                for frame in 0..<3 {
                    weight[(output * 3 + band) * inputChannels + frame] = stored[(output * 3 + band) * 3 + frame]
                }
            }
        }
        return LinearLayer(
            try weights.pack(weight, outputs: channels, order: { $0 }, scale: scale), bias: shift)
    }

    /// - Parameters:
    ///   - features: `[frames, 80]`.
    ///   - body: receives a plane of 10 bands, which is valid during the call.
    func apply<Result>(_ features: Tensor, _ body: (Plane) throws -> Result) throws -> Result {
        let frames = features.count / KaldiFeatures.bands
        // Two planes of each number of bands take turns.
        let all = KaldiFeatures.bands, wide = Self.channels
        let shapes =
            [(all, Self.inputChannels), (all, wide)]
            + [all / 2, all / 2, all / 4, all / 4, all / 8].map { ($0, wide) }
        let sizes = shapes.map { Plane.count(frames: frames, bands: $0.0, channels: $0.1) }
        var result: Swift.Result<Result, any Error>?
        backend.withScratch(sizes.reduce(0, +)) { scratch in
            var start = 0
            let planes = zip(shapes, sizes).map { shape, size in
                defer { start += size }
                return Plane(scratch, start: start, frames: frames, bands: shape.0, channels: shape.1)
            }
            widen(features, into: planes[0])
            applyFirst(planes[0], into: planes[1])
            var x = planes[1]
            for (index, block) in blocks.enumerated() {
                let y = planes[2 + index / 2 * 2]
                block.first.apply(x, into: y)
                y.rectify()
                var sum = x
                if let shortcut = block.shortcut {
                    sum = planes[3 + index / 2 * 2]
                    shortcut.apply(x, into: sum)
                }
                block.second.apply(y, accumulate: true, into: sum)
                sum.rectify()
                x = sum
            }
            last.apply(x, into: planes[6])
            planes[6].rectify()
            result = Swift.Result { try body(planes[6]) }
        }
        guard let result else { preconditionFailure("no scratch memory") }
        return try result.get()
    }

    /// Each frame with its neighbors.
    private func widen(_ features: Tensor, into plane: Plane) {
        let bands = plane.bands, wide = Self.inputChannels
        plane.clear()
        for frame in 0..<plane.frames {
            for neighbor in -1...1 where frame + neighbor >= 0 && frame + neighbor < plane.frames {
                let from = (frame + neighbor) * bands, to = plane.offset(frame: frame, band: 0) + neighbor + 1
                for band in 0..<bands { plane.tensor[to + band * wide] = features[from + band] }
            }
        }
    }

    private func applyFirst(_ x: Plane, into y: Plane) {
        let rows = ConvolutionLayout(
            groups: 1, rows: x.frames * (x.bands + 2) - 2, parts: 1, partColumns: 3 * x.channels, partStride: 0,
            input: ConvolutionLayout.Places(start: x.offset(frame: 0, band: -1), row: x.channels, group: 0),
            output: ConvolutionLayout.Places(start: y.offset(frame: 0, band: 0), row: y.channels, group: 0))
        first.weight.convolve(x.tensor, rows, bias: first.bias, accumulate: false, into: y.tensor)
        y.rectify()
    }
}

/// Bands and frames with several channels, `[frames, bands, channels]`, surrounded by a border of zeros.
struct Plane {
    let tensor: Tensor
    private let start: Int
    let frames: Int
    let bands: Int
    let channels: Int

    /// - Parameters:
    ///   - tensor: arbitrary numbers.
    ///   - start: where the plane begins in it.
    init(_ tensor: Tensor, start: Int, frames: Int, bands: Int, channels: Int) {
        self.tensor = tensor
        self.start = start
        self.frames = frames
        self.bands = bands
        self.channels = channels
    }

    /// The numbers in a plane, with its border.
    static func count(frames: Int, bands: Int, channels: Int) -> Int { (frames + 2) * (bands + 2) * channels }

    /// The numbers in a frame, with its border.
    var pitch: Int { (bands + 2) * channels }

    /// -1 and `frames`, and -1 and `bands`, are the border.
    func offset(frame: Int, band: Int) -> Int { start + (frame + 1) * pitch + (band + 1) * channels }

    func clear() { tensor.fill(start..<(start + (frames + 2) * pitch), with: 0) }

    /// Applies ReLU and clears the border.
    func rectify() {
        LayerKernels.leaky(tensor.rows(frames, columns: pitch, from: start + pitch))
        tensor.fill(start..<(start + pitch), with: 0)
        for frame in -1..<frames {
            // The border after this frame and before the next.
            let after = offset(frame: frame, band: bands)
            tensor.fill(after..<(after + 2 * channels), with: 0)
        }
        tensor.fill((start + (frames + 1) * pitch - channels)..<(start + (frames + 2) * pitch), with: 0)
    }
}

/// A convolution over three bands and three frames, or one of each, with a stride along the bands, followed by a batch
/// normalization.
struct PlaneConvolution: Sendable {
    let stride: Int
    /// Its inputs are ordered by frame, band and channel.
    private let layer: LinearLayer
    private let size: Int

    init(
        _ weights: NetworkWeights, _ name: String, norm: String, channels: Int, size: Int, stride: Int
    ) throws {
        self.stride = stride
        self.size = size
        let stored = try weights.numbers(name, [channels, channels, size, size])
        let (scale, shift) = try weights.normalization(norm, channels: channels)
        layer = LinearLayer(
            try weights.pack(
                stored, outputs: channels,
                order: { index in
                    let (frame, band, input) = (index / channels / size, index / channels % size, index % channels)
                    return (input * size + band) * size + frame
                }, scale: scale), bias: shift)
    }

    /// Writes or adds the result, and arbitrary numbers to the border.
    func apply(_ x: Plane, accumulate: Bool = false, into y: Plane) {
        let reach = size / 2
        var rows = ConvolutionLayout(
            groups: x.frames, rows: y.bands, parts: size, partColumns: size * x.channels, partStride: x.pitch,
            input: ConvolutionLayout.Places(
                start: x.offset(frame: -reach, band: -reach), row: stride * x.channels, group: x.pitch),
            output: ConvolutionLayout.Places(start: y.offset(frame: 0, band: 0), row: y.channels, group: y.pitch))
        if stride == 1 {
            // All frames at once, with the bands of the border between them.
            (rows.groups, rows.rows) = (1, x.frames * (x.bands + 2) - 2)
        }
        layer.weight.convolve(x.tensor, rows, bias: layer.bias, accumulate: accumulate, into: y.tensor)
    }
}
