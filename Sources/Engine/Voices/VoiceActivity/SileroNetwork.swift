public import EngineBasics
import EngineCompute
import Glibc
import EngineWeights

/// Silero's voice activity network for 16 kHz: the speech probability of windows of 512 samples.
///
/// A short-time Fourier transform as a convolution, four convolutions with ReLU, an LSTM cell whose state carries over
/// from window to window, and a logistic output. Each window is computed separately, so results do not depend on how
/// many are fed at a time.
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

    /// A convolution with kernel size 3 and zero padding, followed by ReLU.
    private struct Convolution: Sendable {
        /// `[outputs, 3 · inputs]`, kernel column by kernel column.
        let weights: Tensor
        let bias: Tensor
        let inputs: Int
        let outputs: Int
        let stride: Int
    }

    package let path: FilePath
    /// `[2 · bins, frame]`: windowed cosines, then sines.
    private let transform: Tensor
    private let convolutions: [Convolution]
    /// `[4 · hidden, 2 · hidden]`: for each gate (input, forget, cell, output) the input weights, then the recurrent
    /// weights.
    private let cell: Tensor
    private let cellBias: Tensor
    private let last: [Float]
    private let lastBias: Float
    private let scratch = ScratchPool()

    /// Reads the weights from a safetensors file with Silero's own tensor names.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    public init(_ path: FilePath) throws {
        let file = try SafetensorsFile(path)
        func floats(_ name: String, _ shape: [Int]) throws -> Tensor { try file.tensor(name, shape: shape).floats() }
        self.path = path
        transform = try floats("stft_conv.weight", [2 * Self.bins, 1, Self.frameSamples])
        convolutions = try [(Self.bins, 128, 1), (128, 64, 2), (64, 64, 2), (64, Self.hidden, 1)].enumerated()
            .map { index, sizes in
                let (inputs, outputs, stride) = sizes
                let name = "conv\(index + 1)"
                let stored = try floats("\(name).weight", [outputs, inputs, 3])
                return Convolution(
                    weights: try Self.columnwise(stored, outputs: outputs, inputs: inputs),
                    bias: try floats("\(name).bias", [outputs]), inputs: inputs, outputs: outputs, stride: stride)
            }
        let n = Self.hidden
        let inputWeights = try floats("lstm_cell.weight_ih", [4 * n, n])
        let recurrentWeights = try floats("lstm_cell.weight_hh", [4 * n, n])
        cell = try Tensor(count: 8 * n * n)
        for row in 0..<(4 * n) {
            cell.copy(inputWeights, from: row * n, count: n, at: 2 * row * n)
            cell.copy(recurrentWeights, from: row * n, count: n, at: 2 * row * n + n)
        }
        cellBias = try floats("lstm_cell.bias_ih", [4 * n])
        cellBias.add(try floats("lstm_cell.bias_hh", [4 * n]), from: 0, count: 4 * n, at: 0)
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

    /// Returns the speech probability of a window.
    ///
    /// - Parameters:
    ///   - window: 512 samples, -1…1.
    ///   - state: the recurrent state, updated.
    package func probability(of window: [Float], state: inout SileroState) -> Float {
        precondition(window.count == Self.windowSamples, "\(window.count) samples in a window")
        // Digital silence, of which a small file may contain hours.
        let known = state.last.flatMap { $0.window == window && $0.context == state.context ? $0.features : nil }
        let features = known ?? features(of: window, context: state.context)
        state.last = SileroState.Input(window: window, context: state.context, features: features)
        state.context = Array(window.suffix(Self.contextSamples))
        let gates = product(of: features + state.hidden, by: cell, bias: cellBias, outputs: 4 * Self.hidden)
        var sum = lastBias
        let n = Self.hidden
        for i in 0..<n {
            let memory =
                Self.logistic(gates[n + i]) * state.cell[i] + Self.logistic(gates[i]) * tanhf(gates[2 * n + i])
            let output = Self.logistic(gates[3 * n + i]) * tanhf(memory)
            state.cell[i] = memory
            state.hidden[i] = output
            sum += last[i] * max(0, output)
        }
        return Self.logistic(sum)
    }

    /// Returns the output of the convolutions for a window: one column of 128.
    private func features(of window: [Float], context: [Float]) -> [Float] {
        var samples = context + window
        // Reflection padding at the end only.
        let end = samples.count
        samples += (0..<Self.contextSamples).map { samples[end - 2 - $0] }
        var columns = magnitudes(of: samples)
        for convolution in convolutions { columns = apply(convolution, to: columns) }
        return columns
    }

    /// Returns the magnitude spectrogram, `[frames, bins]`.
    private func magnitudes(of samples: [Float]) -> [Float] {
        var values: [Float] = []
        scratch.with(samples.count + 2 * Self.bins * Self.frames) { buffer in
            buffer.write(samples, at: 0)
            let spectrum = buffer.rows(Self.frames, columns: 2 * Self.bins, from: samples.count)
            SmallProduct.multiply(
                TensorView(buffer, offset: 0, rows: Self.frames, columns: Self.frameSamples, stride: Self.hop),
                transform, bias: nil, into: spectrum)
            values = spectrum.values
        }
        return (0..<(Self.frames * Self.bins)).map { index in
            let at = index / Self.bins * 2 * Self.bins + index % Self.bins
            let (cosine, sine) = (values[at], values[at + Self.bins])
            return (cosine * cosine + sine * sine).squareRoot()
        }
    }

    /// - Parameter columns: `[columns, inputs]`.
    /// - Returns: `[columns / stride, outputs]`.
    private func apply(_ convolution: Convolution, to columns: [Float]) -> [Float] {
        let inputs = convolution.inputs
        let count = (columns.count / inputs + convolution.stride - 1) / convolution.stride
        var values: [Float] = []
        let size = columns.count + 2 * inputs
        scratch.with(size + count * convolution.outputs) { buffer in
            buffer.fill(0..<inputs, with: 0)
            buffer.write(columns, at: inputs)
            buffer.fill((size - inputs)..<size, with: 0)
            let out = buffer.rows(count, columns: convolution.outputs, from: size)
            SmallProduct.multiply(
                TensorView(
                    buffer, offset: 0, rows: count, columns: 3 * inputs, stride: convolution.stride * inputs),
                convolution.weights, bias: convolution.bias, into: out)
            values = out.values
        }
        for i in values.indices { values[i] = max(0, values[i]) }
        return values
    }

    private func product(of input: [Float], by weights: Tensor, bias: Tensor, outputs: Int) -> [Float] {
        var values: [Float] = []
        scratch.with(input.count + outputs) { buffer in
            buffer.write(input, at: 0)
            let out = buffer.rows(1, columns: outputs, from: input.count)
            SmallProduct.multiply(buffer.rows(1, columns: input.count), weights, bias: bias, into: out)
            values = out.values
        }
        return values
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
    package var context = [Float](repeating: 0, count: SileroNetwork.contextSamples)
    /// What the last window was and the outputs of the convolutions for it, which the same window need not compute again.
    fileprivate var last: Input?

    fileprivate struct Input: Equatable {
        let window: [Float]
        let context: [Float]
        let features: [Float]
    }

    package init() {}
}
