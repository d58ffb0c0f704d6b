import EngineCompute

/// pyannote's segmentation network: which of up to three local speakers talk, for each 17 ms of a window.
///
/// SincNet (Ravanelli and Bengio 2018), four bidirectional LSTM layers and three linear layers. The order of the speakers is
/// arbitrary in each window.
package final class SegmentationNetwork: Sendable {
    /// The published networks, which differ in the last layer and in the windows that they were trained on.
    package enum Version: Sendable {
        /// 3.0, whose classes are the sets of at most two speakers (Plaquet and Bredin 2023).
        case powerset
        /// 2022, in which the speakers are independent of each other (Bredin and Laurent 2021).
        case multilabel

        /// Numbers for each frame.
        package var classes: Int { self == .powerset ? 7 : 3 }
        /// 10 s or 5 s.
        package var windowSamples: Int { self == .powerset ? 160_000 : 80_000 }
    }

    package let version: Version
    /// Samples from one frame to the next.
    static let hop = 270
    private static let layers = 4
    private static let features = 60
    private static let width = 128
    private static let slope: Float = 0.01

    private let sinc: LinearLayer
    /// The sum of each filter: its response to a constant.
    private let sincSums: [Float]
    private let waveNorm: (weight: Float, bias: Float)
    private let norms: [(weight: [Float], bias: [Float])]
    /// Two, over five frames each.
    private let convolutions: [LinearLayer]
    private let recurrent: [BidirectionalLSTM]
    private let linear: [LinearLayer]

    /// - Throws: `ModelError`, `ComputeError`.
    init(_ weights: NetworkWeights) throws {
        version = weights.hasTensor("classifier.bias", [Version.multilabel.classes]) ? .multilabel : .powerset
        func numbers(_ name: String, _ shape: [Int]) throws -> [Float] {
            try weights.numbers(name, shape).values(0..<shape.reduce(1, *))
        }
        let filterbank = "sincnet.conv1d.0.filterbank."
        let filters = SincFilters.filters(
            low: try numbers(filterbank + "low_hz_", [40, 1]), band: try numbers(filterbank + "band_hz_", [40, 1]),
            window: try numbers(filterbank + "window_", [125]), times: try numbers(filterbank + "n_", [1, 125]))
        let taps = SincFilters.taps
        sinc = LinearLayer(
            try weights.exact.prepare(Tensor(filters), outputs: SincFilters.count, inputs: taps), bias: nil)
        sincSums = (0..<SincFilters.count).map { filters[($0 * taps)..<(($0 + 1) * taps)].reduce(0, +) }
        waveNorm = (
            try numbers("sincnet.wav_norm1d.weight", [1])[0], try numbers("sincnet.wav_norm1d.bias", [1])[0]
        )
        norms = try [SincFilters.count, Self.features, Self.features].enumerated().map { index, channels in
            (
                try numbers("sincnet.norm1d.\(index).weight", [channels]),
                try numbers("sincnet.norm1d.\(index).bias", [channels])
            )
        }
        convolutions = try [SincFilters.count, Self.features].enumerated().map { index, channels in
            let name = "sincnet.conv1d.\(index + 1)"
            // Frame before channel, so that five adjacent frames in memory form one input row.
            let weight = try weights.linear(
                "\(name).weight", [Self.features, channels, 5], outputs: Self.features,
                order: { $0 % channels * 5 + $0 / channels })
            return LinearLayer(weight.weight, bias: try weights.numbers("\(name).bias", [Self.features]))
        }
        recurrent = try (0..<Self.layers).map {
            try BidirectionalLSTM(weights, layer: $0, inputs: $0 == 0 ? Self.features : BidirectionalLSTM.outputs)
        }
        let shapes = [
            ("linear.0", Self.width, BidirectionalLSTM.outputs), ("linear.1", Self.width, Self.width),
            ("classifier", version.classes, Self.width),
        ]
        linear = try shapes.map { name, outputs, inputs in
            LinearLayer(
                try weights.linear("\(name).weight", [outputs, inputs], outputs: outputs).weight,
                bias: try weights.numbers("\(name).bias", [outputs]))
        }
    }

    /// The number of frames in a window.
    package static func frames(samples: Int) -> Int {
        func pooled(_ count: Int) -> Int { max(0, count) / 3 }
        let first = pooled((samples - SincFilters.taps) / SincFilters.stride + 1)
        return pooled(pooled(first - 4) - 4)
    }

    /// What the network computes for a batch of windows, each `[windows, frames, …]`.
    package struct Stages: Sendable {
        /// The output of SincNet, 60 numbers for each frame; empty unless requested.
        package var sinc: [Float] = []
        /// The output of the last LSTM layer, 256 numbers for each frame; empty unless requested.
        package var lstm: [Float] = []
        /// `version.classes` numbers for each frame: the largest is the class, or the positive ones are speakers.
        package var logits: [Float] = []
    }

    /// Computes windows of one length that begin at regular intervals.
    ///
    /// - Parameters:
    ///   - samples: (windows − 1) · step + length of them, -1…1.
    ///   - step: a multiple of 10.
    ///   - length: samples in a window, at least 1000; `nil` is what the network was trained on.
    ///   - isComplete: whether all stages are needed.
    package func stages(
        of samples: [Float], step: Int, length: Int? = nil, isComplete: Bool = false
    ) throws -> Stages {
        let length = length ?? version.windowSamples
        let batch = (samples.count - length) / step + 1, frames = Self.frames(samples: length)
        precondition(
            frames > 0 && step % SincFilters.stride == 0 && samples.count == (batch - 1) * step + length,
            "\(samples.count) samples for windows of \(length) every \(step)")
        let rows = batch * frames, wide = BidirectionalLSTM.outputs
        var stages = Stages()
        let x = try Tensor(count: rows * wide), y = try Tensor(count: rows * wide)
        try featurize(samples, step: step, length: length, into: x, batch: batch)
        if isComplete { stages.sinc = Self.ordered(x, columns: Self.features, batch: batch, frames: frames) }
        var (from, to) = (x, y), columns = Self.features
        for layer in recurrent {
            layer.apply(
                from.rows(rows, columns: columns), batch: batch, into: to.rows(rows, columns: wide))
            (from, to, columns) = (to, from, wide)
        }
        if isComplete { stages.lstm = Self.ordered(from, columns: wide, batch: batch, frames: frames) }
        for (index, layer) in linear.enumerated() {
            let out = to.rows(rows, columns: layer.outputs)
            layer.apply(from.rows(rows, columns: columns), into: out)
            if index < 2 { LayerKernels.leaky(out, slope: Self.slope) }
            (from, to, columns) = (to, from, layer.outputs)
        }
        stages.logits = Self.ordered(from, columns: version.classes, batch: batch, frames: frames)
        return stages
    }

    /// Interleaved rows, sequence by sequence.
    private static func ordered(_ rows: Tensor, columns: Int, batch: Int, frames: Int) -> [Float] {
        (0..<batch).flatMap { index in
            TensorView(rows, offset: index * columns, rows: frames, columns: columns, stride: batch * columns).values
        }
    }

    /// SincNet: fills `features`, interleaved, with 60 numbers for each frame.
    ///
    /// The normalization of a window is linear, so that the filters' output is computed once for all windows.
    private func featurize(
        _ samples: [Float], step: Int, length: Int, into features: Tensor, batch: Int
    ) throws {
        let channels = SincFilters.count, stride = SincFilters.stride
        let first = (length - SincFilters.taps) / stride + 1, pooled = first / 3, second = (pooled - 4) / 3
        let total = (batch - 1) * step / stride + first
        let wave = try Tensor(samples), response = try Tensor(count: total * channels)
        sinc.apply(
            TensorView(wave, offset: 0, rows: total, columns: SincFilters.taps, stride: stride),
            into: response.rows(total, columns: channels))
        let shift = try Tensor(count: channels), scale = try Tensor(count: channels)
        let x = try Tensor(count: pooled * channels), y = try Tensor(count: pooled * channels)
        for window in 0..<batch {
            let (factor, summand) = normalization(of: samples[(window * step)..<(window * step + length)])
            shift.write(sincSums.map { $0 * summand }, at: 0)
            LayerKernels.poolMagnitudes(
                response.rows(3 * pooled, columns: channels, from: window * step / stride * channels), scale: factor,
                shift: shift, into: x.rows(pooled, columns: channels))
            normalize(
                x.rows(pooled, columns: channels), norms[0], scale, shift, into: x.rows(pooled, columns: channels))
            let middle = convolve(x, frames: pooled, channels: channels, convolutions[0], into: y)
            normalize(middle, norms[1], scale, shift, into: x.rows(middle.rows, columns: Self.features))
            let last = convolve(x, frames: second, channels: Self.features, convolutions[1], into: y)
            normalize(
                last, norms[2], scale, shift,
                into: TensorView(
                    features, offset: window * Self.features, rows: last.rows, columns: Self.features,
                    stride: batch * Self.features))
        }
    }

    /// Convolves frames with five taps and keeps the maximum of each three results, which is stored after them.
    private func convolve(
        _ x: Tensor, frames: Int, channels: Int, _ layer: LinearLayer, into y: Tensor
    ) -> TensorView {
        let rows = frames - 4, kept = rows / 3
        layer.apply(
            TensorView(x, offset: 0, rows: rows, columns: 5 * channels, stride: channels),
            into: y.rows(rows, columns: layer.outputs))
        let pooled = x.rows(kept, columns: layer.outputs)
        LayerKernels.pool(y.rows(3 * kept, columns: layer.outputs), into: pooled)
        return pooled
    }

    /// Factor and summand that normalize a window.
    private func normalization(of window: ArraySlice<Float>) -> (factor: Float, summand: Float) {
        var sum = 0.0, squares = 0.0
        for sample in window {
            sum += Double(sample)
            squares += Double(sample) * Double(sample)
        }
        let mean = sum / Double(window.count), variance = max(0, squares / Double(window.count) - mean * mean)
        let factor = Double(waveNorm.weight) / (variance + 1e-5).squareRoot()
        return (Float(factor), Float(Double(waveNorm.bias) - mean * factor))
    }

    /// Instance normalization over the frames and leaky ReLU.
    private func normalize(
        _ x: TensorView, _ norm: (weight: [Float], bias: [Float]), _ scale: Tensor, _ shift: Tensor,
        into y: TensorView
    ) {
        // Mean and sum of squares, which the factors replace.
        LayerKernels.moments(x, mean: shift, squares: scale)
        for i in norm.weight.indices {
            let factor = norm.weight[i] / (scale[i] / Float(x.rows) + 1e-5).squareRoot()
            scale[i] = factor
            shift[i] = norm.bias[i] - shift[i] * factor
        }
        LayerKernels.scaleShift(x, scale: scale, shift: shift, slope: Self.slope, into: y)
    }
}
