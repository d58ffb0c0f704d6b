package import EngineCompute

/// The encoder with its activations; encodes one piece of audio, or one part of a stream, at a time.
package final class ParakeetEncoder {
    private let model: ParakeetModel
    private let state: Tensor
    private let normed: Tensor
    /// Reused by the modules in turn.
    private let wide: Tensor

    private var width: Int { model.dimensions.width }

    /// Frames that the convolutions make at a time. Before, they have 64 times as many pixels.
    private static let framesAtOnce = 32

    package init(_ model: ParakeetModel) throws {
        self.model = model
        let frames = model.dimensions.mostFrames
        state = try Tensor(count: frames * model.dimensions.width)
        normed = try Tensor(count: frames * model.dimensions.width)
        wide = try Tensor(count: Self.wideNumbers(model.dimensions))
    }

    private static func wideNumbers(_ d: ParakeetDimensions) -> Int {
        // What the attention and the convolution remember of a stream.
        let past = d.streaming.map { max(3 * $0.leftContext, d.taps - 1) } ?? 0
        let inner = max(d.feedForward, d.streaming?.prompts?.width ?? 0)
        return max(d.width * (4 * d.mostFrames + past), d.mostFrames * inner)
    }

    /// The number of floats of an encoder and of the memory that it borrows from the backend.
    static func numbers(for d: ParakeetDimensions) -> Int {
        d.mostFrames * 2 * d.width + wideNumbers(d) + imageNumbers(d)
    }

    /// Numbers of the images that become `framesAtOnce` frames, with the rows at their borders; the last two before and
    /// after their linear layer.
    private static func imageNumbers(_ d: ParakeetDimensions) -> Int {
        var bands = d.bands, rows = 8 * framesAtOnce, numbers = 0
        for stage in 0..<3 {
            bands = ImageRows.half(bands, before: d.imageBorder)
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
        let d = model.dimensions, frames = features.count / d.bands
        let image = ImageRows(try Tensor(features), range: 0..<frames, of: frames, columns: d.bands, channels: 1)
        return encode(image, frames: 0..<d.frames(features: frames), observe: observe)
    }

    /// Encodes the next part of a stream.
    ///
    /// - Parameters:
    ///   - features: `[frames, bands]`, those that follow the ones heard so far. With those that are still waiting, at
    ///     most as many as `ParakeetDimensions.mostFrames` has.
    ///   - isLast: whether the stream ends with them.
    /// - Returns: `[frames, n]`, valid until the next call: as many whole chunks as there are; at the end, all frames.
    /// - Throws: `ComputeError.outOfMemory`; the same features can be given again.
    package func encode(
        _ features: [Float], of stream: EncoderStream, isLast: Bool, observe: ((Stage, TensorView) -> Void)? = nil
    ) throws -> TensorView {
        let (frames, image) = try stream.add(features, isLast: isLast)
        guard !frames.isEmpty else { return state.rows(0, columns: width) }
        let x = encode(image, frames: frames, after: stream, observe: observe)
        stream.didEncode(to: frames.upperBound)
        return x
    }

    private func encode(
        _ image: ImageRows, frames: Range<Int>, after stream: EncoderStream? = nil,
        observe: ((Stage, TensorView) -> Void)?
    ) -> TensorView {
        let backend = model.backend, x = state.rows(frames.count, columns: width)
        let normed = normed.rows(x.rows, columns: width)
        subsample(image, frames, into: x)
        observe?(.subsampled, x)
        if let scale = model.subsampling.scale {
            LayerKernels.scaleShift(x, scale: scale.factors, shift: scale.zeros, into: x)
        }
        let inner = wide.rows(x.rows, columns: model.dimensions.feedForward)
        for (index, layer) in model.layers.enumerated() {
            layer.feedForward1.apply(to: x, normed: normed, wide: inner, on: backend)
            observe?(.module(layer: index, 0), x)
            let past = stream?.layers[index]
            layer.attention.apply(to: x, normed: normed, wide: wide, after: past, on: backend)
            observe?(.module(layer: index, 1), x)
            layer.convolution.apply(to: x, normed: normed, wide: wide, after: past, on: backend)
            observe?(.module(layer: index, 2), x)
            layer.feedForward2.apply(to: x, normed: normed, wide: inner, on: backend)
            observe?(.module(layer: index, 3), x)
            layer.norm.apply(x, into: x, on: backend)
            observe?(.layer(index), x)
        }
        if let projection = model.promptProjection, let stream {
            projection.apply(
                to: x, prompt: stream.prompt, wide: wide.rows(x.rows, columns: projection.second.weight.inputs))
        }
        return x
    }

    /// Halves frames and bands three times, a part of the frames at a time: the images have many more numbers than the
    /// result.
    private func subsample(_ image: ImageRows, _ frames: Range<Int>, into x: TensorView) {
        model.backend.withScratch(Self.imageNumbers(model.dimensions)) { scratch in
            for first in stride(from: frames.lowerBound, to: frames.upperBound, by: Self.framesAtOnce) {
                let part = first..<min(first + Self.framesAtOnce, frames.upperBound)
                let rows = (part.lowerBound - frames.lowerBound)..<(part.upperBound - frames.lowerBound)
                subsample(image, part, into: x.slice(rows: rows), scratch)
            }
        }
    }

    private func subsample(_ image: ImageRows, _ frames: Range<Int>, into x: TensorView, _ scratch: Tensor) {
        let layers = model.subsampling, backend = model.backend, before = model.dimensions.imageBorder
        func half(_ count: Int) -> Int { ImageRows.half(count, before: before) }
        // Rows of the three images, of which the last has one for each frame, from those that they depend on.
        let heights = (1...3).map { halvings in (0..<halvings).reduce(image.rows) { rows, _ in half(rows) } }
        let second = ImageRows.sources(of: frames, rows: heights[1], before: before)
        let ranges = [ImageRows.sources(of: second, rows: heights[0], before: before), second, frames]
        var source = image, offset = 0
        /// The next image in `scratch`, of half the size.
        func next(_ index: Int) -> ImageRows {
            let next = ImageRows(
                scratch, offset: offset, range: ranges[index], of: heights[index], columns: half(source.columns),
                channels: model.dimensions.channels)
            offset += next.view.rows * next.channels
            return next
        }
        let entry = next(0)
        backend.halve(source, by: layers.entry, activation: .relu, into: entry)
        source = entry
        for (index, stage) in layers.stages.enumerated() {
            let own = next(index + 1), mixed = next(index + 1)
            backend.halve(source, by: stage.kernels, activation: .none, into: own)
            stage.pointwise.apply(own.view, activation: .relu, into: mixed.view)
            source = mixed
        }
        layers.linear.apply(
            scratch.rows(frames.count, columns: source.columns * source.channels, from: source.offset),
            into: x)
    }
}
