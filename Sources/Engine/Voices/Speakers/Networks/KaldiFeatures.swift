import EngineCompute
import Glibc

/// Kaldi's log-mel features: frames of 400 samples every 160, 80 bands from 20 to 8000 Hz.
///
/// Removing the mean of a frame, pre-emphasis, window and Fourier transform are linear: one matrix does them all.
package struct KaldiFeatures: Sendable {
    static let bands = 80
    static let frameSamples = 400
    static let hop = 160

    private static let transformLength = 512
    private static let bins = 256
    private static let preEmphasis = 0.97
    /// The smallest energy, float32's epsilon.
    private static let minEnergy: Float = 1.1920929e-07

    private let transform: LinearLayer
    private let filters: LinearLayer
    private let backend: any ComputeBackend

    init(backend: any ComputeBackend) throws {
        self.backend = backend
        transform = LinearLayer(
            try backend.prepare(Tensor(Self.transform), outputs: 2 * Self.bins, inputs: Self.frameSamples), bias: nil)
        filters = LinearLayer(
            try backend.prepare(Tensor(Self.filters), outputs: Self.bands, inputs: Self.bins), bias: nil)
    }

    /// The number of whole frames in `samples` samples.
    static func frames(samples: Int) -> Int { samples < frameSamples ? 0 : 1 + (samples - frameSamples) / hop }

    /// The features of all whole frames, `[frames, 80]`, without their mean over time.
    func logMel(_ samples: [Float]) throws -> Tensor {
        let frames = Self.frames(samples: samples.count)
        let wave = try Tensor(samples), energies = try Tensor(count: frames * Self.bands)
        backend.withScratch(frames * 3 * Self.bins) { scratch in
            let spectrum = scratch.rows(frames, columns: 2 * Self.bins)
            let power = scratch.rows(frames, columns: Self.bins, from: frames * 2 * Self.bins)
            transform.apply(
                TensorView(wave, offset: 0, rows: frames, columns: Self.frameSamples, stride: Self.hop),
                into: spectrum)
            LayerKernels.powers(spectrum, into: power)
            filters.apply(power, into: energies.rows(frames, columns: Self.bands))
        }
        var values = energies.values(0..<energies.count)
        for i in values.indices { values[i] = logf(max(values[i], Self.minEnergy)) }
        energies.write(values, at: 0)
        guard frames > 0 else { return energies }
        let all = energies.rows(frames, columns: Self.bands)
        let mean = try Tensor(count: Self.bands), squares = try Tensor(count: Self.bands)
        LayerKernels.moments(all, mean: mean, squares: squares)
        mean.write(mean.values(0..<Self.bands).map { -$0 }, at: 0)
        squares.fill(0..<Self.bands, with: 1)
        LayerKernels.scaleShift(all, scale: squares, shift: mean, into: all)
        return energies
    }

    /// The rows of cosines, then sines, `[512, 400]`, each with window, pre-emphasis and mean applied to it.
    private static var transform: [Float] {
        let count = frameSamples
        // Povey's window: Hann's to the power 0.85.
        let window = (0..<count).map { index in
            pow(0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(count - 1)), 0.85)
        }
        let angles = (0..<transformLength).map { 2 * Double.pi * Double($0) / Double(transformLength) }
        let functions = [angles.map { cos($0) }, angles.map { -sin($0) }]
        return functions.flatMap { function in
            (0..<bins).flatMap { bin -> [Float] in
                let wave = (0..<count).map { window[$0] * function[bin * $0 % transformLength] }
                // y[t] = x[t] − 0.97 x[t − 1], where x[−1] = x[0]: transposed, a coefficient loses 0.97 of the next.
                var row = (0..<count).map { time -> Double in
                    let next = time + 1 < count ? wave[time + 1] : 0
                    return wave[time] - preEmphasis * next
                }
                row[0] -= preEmphasis * wave[0]
                let mean = row.reduce(0, +) / Double(count)
                return row.map { Float($0 - mean) }
            }
        }
    }

    /// Triangles of height 1 that are evenly spaced in mel, `[80, 256]`.
    package static var filters: [Float] {
        func mel(_ hertz: Double) -> Double { 1127 * log(1 + hertz / 700) }
        let low = mel(20), step = (mel(8000) - low) / Double(bands + 1)
        return (0..<bands).flatMap { band -> [Float] in
            let left = low + step * Double(band)
            return (0..<bins).map { bin in
                let m = mel(Double(bin) * 16_000 / Double(transformLength))
                return Float(max(0, min((m - left) / step, (left + 2 * step - m) / step)))
            }
        }
    }
}
