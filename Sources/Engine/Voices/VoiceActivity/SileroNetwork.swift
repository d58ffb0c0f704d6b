public import EngineBasics
import EngineCompute
import EngineWeights
import Glibc

/// Silero's voice activity network for 16 kHz: the speech probability of windows of 512 samples.
///
/// A short-time Fourier transform as a product, four convolutions with ReLU, an LSTM cell whose state carries over from
/// window to window, and a logistic output. All but the last two see one window only, and see several at a time: that is
/// faster, and gives the same results.
public final class SileroNetwork: Sendable {
    /// Samples per window.
    static let windowSamples = 512
    /// Samples of the previous window prepended to each window.
    static let contextSamples = 64
    static let hidden = 128

    private static let frameSamples = 256
    private static let hop = 128
    private static let frames = 4
    private static let bins = 129
    /// Windows that the convolutions see at a time.
    private static let windowsAtOnce = 16

    /// A convolution with kernel size 3 and zero padding, followed by ReLU.
    private struct Convolution: Sendable {
        /// `[outputs, 3 · inputs]`, kernel column by kernel column.
        let weights: any PackedMatrix
        let bias: Tensor
        let stride: Int

        var inputs: Int { weights.inputs / 3 }

        func columns(_ columns: Int) -> Int { (columns + stride - 1) / stride }
    }

    package let path: FilePath
    private let backend: any ComputeBackend
    /// `[2 · bins, frame]`: windowed cosines, then sines.
    private let transform: any PackedMatrix
    private let convolutions: [Convolution]
    private let cell: LSTMLayer
    private let last: [Float]
    private let lastBias: Float

    /// Reads the weights from a safetensors file with Silero's own tensor names.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    public init(_ path: FilePath) throws {
        let file = try SafetensorsFile(path)
        let backend = try ComputeOptions(computeType: .float32, threads: 1).makeBackend()
        func floats(_ name: String, _ shape: [Int]) throws -> Tensor { try file.tensor(name, shape: shape).floats() }
        self.path = path
        self.backend = backend
        transform = try backend.prepare(
            try floats("stft_conv.weight", [2 * Self.bins, 1, Self.frameSamples]), outputs: 2 * Self.bins,
            inputs: Self.frameSamples)
        convolutions = try [(Self.bins, 128, 1), (128, 64, 2), (64, 64, 2), (64, Self.hidden, 1)].enumerated()
            .map { index, sizes in
                let (inputs, outputs, stride) = sizes
                let name = "conv\(index + 1)"
                let stored = try floats("\(name).weight", [outputs, inputs, 3])
                let weights = try Self.columnwise(stored, outputs: outputs, inputs: inputs)
                return Convolution(
                    weights: try backend.prepare(weights, outputs: outputs, inputs: 3 * inputs),
                    bias: try floats("\(name).bias", [outputs]), stride: stride)
            }
        let n = Self.hidden
        func gates(_ name: String, _ use: MatrixUse) throws -> any PackedMatrix {
            try backend.prepare(
                try floats("lstm_cell.weight_\(name)", [4 * n, n]), outputs: 4 * n, inputs: n, for: use)
        }
        cell = try LSTMLayer(
            input: try gates("ih", .manyRows), recurrent: try gates("hh", .fewRows),
            biases: [try floats("lstm_cell.bias_ih", [4 * n]), try floats("lstm_cell.bias_hh", [4 * n])])
        last = try floats("final_conv.weight", [1, n, 1]).values(0..<n)
        lastBias = try floats("final_conv.bias", [1])[0]
        try file.checkUnchanged()
    }

    /// Transposes `[outputs, inputs, 3]` to `[outputs, 3, inputs]`, the order in which adjacent columns lie in memory.
    private static func columnwise(_ weights: Tensor, outputs: Int, inputs: Int) throws -> Tensor {
        let result = try Tensor(count: weights.count)
        for output in 0..<outputs {
            let from = weights.values((output * inputs * 3)..<((output + 1) * inputs * 3))
            let row = (0..<(3 * inputs)).map { from[$0 % inputs * 3 + $0 / inputs] }
            result.write(row, at: output * inputs * 3)
        }
        return result
    }

    /// Returns the speech probability of each window.
    ///
    /// - Parameters:
    ///   - samples: whole windows of 512 samples, -1…1.
    ///   - state: the recurrent state, updated.
    package func probabilities(of samples: [Float], state: inout SileroState) -> [Float] {
        precondition(samples.count % Self.windowSamples == 0, "\(samples.count) samples in whole windows")
        var values: [Float] = []
        let run = Self.windowsAtOnce * Self.windowSamples
        for start in stride(from: 0, to: samples.count, by: run) {
            values += probabilities(ofFew: samples[start..<min(samples.count, start + run)], state: &state)
        }
        return values
    }

    /// The probabilities of at most `windowsAtOnce` windows.
    private func probabilities(ofFew samples: ArraySlice<Float>, state: inout SileroState) -> [Float] {
        var inputs: [SileroState.Input] = [], isNew: [Bool] = []
        for start in stride(from: samples.startIndex, to: samples.endIndex, by: Self.windowSamples) {
            let window = samples[start..<(start + Self.windowSamples)]
            let input = SileroState.Input(context: state.context, window: window)
            // Digital silence, of which a small file may contain hours.
            isNew.append(input != (inputs.last ?? state.last))
            inputs.append(input)
            state.context = window.suffix(Self.contextSamples)
        }
        let n = Self.hidden
        var values: [Float] = []
        backend.withScratch((inputs.count + 2) * 4 * n + 2 * n) { scratch in
            let known = scratch.rows(1 + inputs.count, columns: 4 * n)
            let gates = scratch.rows(1, columns: 4 * n, from: known.rows * 4 * n)
            let memory = scratch.rows(1, columns: n, from: gates.offset + 4 * n)
            let hidden = scratch.rows(1, columns: n, from: memory.offset + n)
            scratch.write(state.gates, at: 0)
            let computed = zip(inputs, isNew).filter(\.1).map(\.0)
            project(computed, into: known.slice(rows: 1..<(1 + computed.count)))
            scratch.write(state.cell, at: memory.offset)
            scratch.write(state.hidden, at: hidden.offset)
            var row = 0
            for isNew in isNew {
                if isNew { row += 1 }
                scratch.copy(scratch, from: row * 4 * n, count: 4 * n, at: gates.offset)
                cell.step(gates: gates, last: hidden, cell: memory, out: hidden)
                values.append(probability(hidden.values))
            }
            state.gates = known.slice(rows: row..<(row + 1)).values
            (state.cell, state.hidden) = (memory.values, hidden.values)
        }
        state.last = inputs.last
        return values
    }

    private func probability(_ hidden: [Float]) -> Float {
        Self.logistic(zip(hidden, last).reduce(lastBias) { $0 + $1.1 * max(0, $1.0) })
    }

    /// What windows add to the gates of the cell: a row of 512 for each.
    private func project(_ inputs: [SileroState.Input], into gates: TensorView) {
        guard !inputs.isEmpty else { return }
        let most = inputs.count * Self.frames
        // The rows of a product, its results, and those of the product before.
        let sizes = [most * 3 * Self.bins, most * 2 * Self.bins, most * 2 * Self.bins]
        backend.withScratch(sizes.reduce(0, +)) { scratch in
            let (out, other) = (sizes[0], sizes[0] + sizes[1])
            for (index, input) in inputs.enumerated() { write(input, to: scratch, at: index * Self.frames) }
            let spectrum = scratch.rows(most, columns: 2 * Self.bins, from: out)
            transform.multiply(
                scratch.rows(most, columns: Self.frameSamples), bias: nil, activation: .none, accumulate: false,
                into: spectrum)
            var results = scratch.rows(most, columns: Self.bins, from: other)
            LayerKernels.powers(spectrum, into: results)
            for i in results.offset..<(results.offset + most * Self.bins) { scratch[i] = scratch[i].squareRoot() }
            for convolution in convolutions {
                results = apply(
                    convolution, to: results, windows: inputs.count, at: results.offset == out ? other : out)
            }
            cell.project(results, into: gates)
        }
    }

    /// Writes the frames of a window, of 256 samples each, as rows from `row` on.
    private func write(_ input: SileroState.Input, to scratch: Tensor, at row: Int) {
        var samples = Array(input.context) + input.window
        // Reflection padding at the end only.
        let end = samples.count
        samples += (0..<Self.contextSamples).map { samples[end - 2 - $0] }
        for frame in 0..<Self.frames {
            scratch.write(
                Array(samples[(frame * Self.hop)..<(frame * Self.hop + Self.frameSamples)]),
                at: (row + frame) * Self.frameSamples)
        }
    }

    /// - Parameters:
    ///   - x: `[windows · columns, inputs]`.
    ///   - offset: where in the same tensor, whose start is free, the results go.
    /// - Returns: `[windows · columns / stride, outputs]`.
    private func apply(_ convolution: Convolution, to x: TensorView, windows: Int, at offset: Int) -> TensorView {
        let scratch = x.tensor, inputs = convolution.inputs
        let columns = x.rows / windows, count = convolution.columns(columns)
        for window in 0..<windows {
            for column in 0..<count {
                let row = (window * count + column) * 3 * inputs
                let first = column * convolution.stride - 1
                for tap in 0..<3 {
                    let at = row + tap * inputs
                    if (0..<columns).contains(first + tap) {
                        let from = x.offset + (window * columns + first + tap) * inputs
                        scratch.copy(scratch, from: from, count: inputs, at: at)
                    } else {
                        scratch.fill(at..<(at + inputs), with: 0)
                    }
                }
            }
        }
        let results = scratch.rows(windows * count, columns: convolution.weights.outputs, from: offset)
        convolution.weights.multiply(
            scratch.rows(results.rows, columns: 3 * inputs), bias: convolution.bias, activation: .relu,
            accumulate: false, into: results)
        return results
    }

    private static func logistic(_ x: Float) -> Float { 1 / (1 + expf(-x)) }
}

extension SileroNetwork: Hashable {
    /// Whether both are the same object.
    public static func == (a: SileroNetwork, b: SileroNetwork) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The recurrent state of Silero's network between windows; initially zero.
package struct SileroState: Sendable, Equatable {
    /// Hidden and cell state of the LSTM.
    package var hidden = [Float](repeating: 0, count: SileroNetwork.hidden)
    package var cell = [Float](repeating: 0, count: SileroNetwork.hidden)
    /// The end of the previous window.
    package var context = [Float](repeating: 0, count: SileroNetwork.contextSamples)[...]
    /// The last window, and what it added to the gates, which need not be computed again for the same window.
    fileprivate var last: Input?
    fileprivate var gates = [Float](repeating: 0, count: 4 * SileroNetwork.hidden)

    fileprivate struct Input: Equatable {
        let context: ArraySlice<Float>
        let window: ArraySlice<Float>
    }

    package init() {}
}
