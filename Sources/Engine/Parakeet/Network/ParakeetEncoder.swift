package import EngineCompute

/// The encoder with its activations; encodes one piece of audio at a time.
package final class ParakeetEncoder {
    private let model: ParakeetModel
    private let state: Tensor
    private let normed: Tensor
    /// `[frames, 4n]` or wider, reused by the modules in turn.
    private let wide: Tensor

    private var width: Int { model.dimensions.width }

    /// Frames that the convolutions make at a time. Before, they have 64 times as many pixels.
    private static let framesAtOnce = 32

    package init(_ model: ParakeetModel) throws {
        self.model = model
        let frames = ParakeetModel.mostFrames
        state = try Tensor(count: frames * model.dimensions.width)
        normed = try Tensor(count: frames * model.dimensions.width)
        wide = try Tensor(count: frames * Self.wideColumns(model.dimensions))
    }

    private static func wideColumns(_ d: ParakeetDimensions) -> Int { max(4 * d.width, d.feedForward) }

    /// The number of floats of an encoder and of the memory that it borrows from the backend.
    static func numbers(for d: ParakeetDimensions) -> Int {
        ParakeetModel.mostFrames * (2 * d.width + wideColumns(d)) + imageNumbers(d)
    }

    /// Numbers of the images that become `framesAtOnce` frames, with the rows at their borders; the last two before and
    /// after their linear layer.
    private static func imageNumbers(_ d: ParakeetDimensions) -> Int {
        var bands = d.bands, rows = 8 * framesAtOnce, numbers = 0
        for stage in 0..<3 {
            bands = ImageRows.half(bands)
            rows = rows / 2 + 3
            numbers += (stage == 0 ? 1 : 2) * rows * bands * d.channels
        }
        return numbers
    }

    /// What follows a module or layer, for tests.
    package enum Stage: Hashable, Sendable {
        case subsampled
        /// After a module of a layer: feed-forward, attention, convolution, feed-forward.
        case module(layer: Int, Int)
        case layer(Int)
    }

    /// Encodes a piece of audio.
    ///
    /// - Parameters:
    ///   - features: `[frames, bands]`, at most as many as `ParakeetModel.longestPiece` has.
    ///   - observe: receives the values after each stage.
    /// - Returns: `[frames, n]`, valid until the next call.
    package func encode(_ features: [Float], observe: ((Stage, TensorView) -> Void)? = nil) throws -> TensorView {
        let backend = model.backend, frames = features.count / model.dimensions.bands
        let x = state.rows(ParakeetDimensions.frames(features: frames), columns: width)
        let normed = normed.rows(x.rows, columns: width)
        try subsample(features, frames: frames, into: x)
        observe?(.subsampled, x)
        if let scale = model.subsampling.scale {
            LayerKernels.scaleShift(x, scale: scale.factors, shift: scale.zeros, into: x)
        }
        let inner = wide.rows(x.rows, columns: model.dimensions.feedForward)
        for (index, layer) in model.layers.enumerated() {
            layer.feedForward1.apply(to: x, normed: normed, wide: inner, on: backend)
            observe?(.module(layer: index, 0), x)
            layer.attention.apply(to: x, normed: normed, wide: wide, on: backend)
            observe?(.module(layer: index, 1), x)
            layer.convolution.apply(to: x, normed: normed, wide: wide, on: backend)
            observe?(.module(layer: index, 2), x)
            layer.feedForward2.apply(to: x, normed: normed, wide: inner, on: backend)
            observe?(.module(layer: index, 3), x)
            layer.norm.apply(x, into: x, on: backend)
            observe?(.layer(index), x)
        }
        return x
    }

    /// Halves frames and bands three times, a part of the frames at a time: the images have many more numbers than the
    /// result.
    private func subsample(_ features: [Float], frames: Int, into x: TensorView) throws {
        let image = ImageRows(
            try Tensor(features), range: 0..<frames, of: frames, columns: model.dimensions.bands, channels: 1)
        model.backend.withScratch(Self.imageNumbers(model.dimensions)) { scratch in
            for first in stride(from: 0, to: x.rows, by: Self.framesAtOnce) {
                subsample(image, into: x, first..<min(first + Self.framesAtOnce, x.rows), scratch)
            }
        }
    }

    private func subsample(_ image: ImageRows, into x: TensorView, _ frames: Range<Int>, _ scratch: Tensor) {
        let layers = model.subsampling, backend = model.backend
        // Rows of the three images, of which the last has one for each frame, from those that they depend on.
        let heights = (1...3).map { halvings in (0..<halvings).reduce(image.rows) { rows, _ in ImageRows.half(rows) } }
        let second = ImageRows.sources(of: frames, rows: heights[1])
        let ranges = [ImageRows.sources(of: second, rows: heights[0]), second, frames]
        var source = image, offset = 0
        /// The next image in `scratch`, of half the size.
        func half(_ index: Int) -> ImageRows {
            let half = ImageRows(
                scratch, offset: offset, range: ranges[index], of: heights[index],
                columns: ImageRows.half(source.columns),
                channels: model.dimensions.channels)
            offset += half.view.rows * half.channels
            return half
        }
        let entry = half(0)
        backend.halve(source, by: layers.entry, activation: .relu, into: entry)
        source = entry
        for (index, stage) in layers.stages.enumerated() {
            let own = half(index + 1), mixed = half(index + 1)
            backend.halve(source, by: stage.kernels, activation: .none, into: own)
            stage.pointwise.apply(own.view, activation: .relu, into: mixed.view)
            source = mixed
        }
        layers.linear.apply(
            scratch.rows(frames.count, columns: source.columns * source.channels, from: source.offset),
            into: x.slice(rows: frames))
    }
}
