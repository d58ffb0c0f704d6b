import EngineCompute
import Glibc

/// The log-mel spectrogram of a recording, computed on demand.
///
/// The reference scales the whole spectrogram by its maximum, so every window depends on the entire recording. To keep
/// memory constant, only the maximum is stored: a first pass over the samples computes it (`loudest`), and each window
/// is computed from the samples when the network needs it.
package struct LogMelSpectrogram: Sendable {
    /// Reads the samples in a range of the recording.
    package typealias Read = (Range<Int>) throws -> [Float]

    /// Samples between frames.
    package static let hop = 160
    /// Samples per frame. Frame t is centered on sample t · `hop`.
    package static let frameLength = 400
    /// The lower bound of the log10 power.
    package static let silence: Float = -10

    /// A periodic Hann window.
    private static let hann = (0..<frameLength).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(frameLength)) }

    /// The number of mel bands, 80 or 128.
    package let bands: Int
    private let kernel: LogMelKernel

    package init(bands: Int) {
        self.bands = bands
        kernel = LogMelKernel(
            window: Self.hann, hop: Self.hop, points: Self.frameLength, filters: Self.filters(bands: bands),
            floor: .least(1e-10))
    }

    /// The work of a number of frames, which is done in float64: half as many numbers at a time as in float32.
    func work(frames: Int) -> OperationWork {
        OperationWork(operations: frames * kernel.operations, kind: .float32, passes: 2)
    }

    /// The mel filters, one row of weights per band for the bins of a frame.
    package static func filters(bands: Int) -> [[Float]] {
        MelFilterBank.filters(bands: bands, points: frameLength)
    }

    /// The number of frames in a recording, without the 3000 frames of zeros that the reference appends.
    package static func contentFrames(samples: Int) -> Int { samples / hop }

    /// Computes the unscaled log10 mel power of `frames`, as `[frames, bands]`.
    ///
    /// The recording is reflected before its start and padded with zeros after its end.
    package func logarithms(_ frames: Range<Int>, sampleCount: Int, read: Read) rethrows -> [Float] {
        guard !frames.isEmpty else { return [] }
        let half = Self.frameLength / 2
        let first = frames.lowerBound * Self.hop - half
        let last = (frames.upperBound - 1) * Self.hop + half
        let inside = max(0, first)..<max(0, first, min(last, sampleCount))
        var samples = try read(inside)
        if last > inside.upperBound {
            samples.append(contentsOf: repeatElement(0, count: last - max(inside.upperBound, max(0, first))))
        }
        if first < 0 {
            // x[−k] = x[k]; a shorter recording is padded with zeros first.
            let needed = 1..<(1 - first)
            var mirrored = try read(needed.clamped(to: 0..<max(sampleCount, 1)).clamped(to: 0..<sampleCount))
            mirrored.append(contentsOf: repeatElement(0, count: needed.count - mirrored.count))
            samples = mirrored.reversed() + samples
        }
        return kernel.logMel(samples, frames: frames.count)
    }

    /// The maximum log10 mel power of the whole recording including the padding, at least `silence`.
    package func loudest(sampleCount: Int, read: Read) rethrows -> Float {
        // Two more frames overlap the end of the audio.
        let frames = Self.contentFrames(samples: sampleCount) + 3
        var loudest = Self.silence
        for first in stride(from: 0, to: frames, by: 3000) {
            let block = try logarithms(first..<min(first + 3000, frames), sampleCount: sampleCount, read: read)
            loudest = max(loudest, Self.loudest(of: block))
        }
        return loudest
    }

    /// The maximum of `logarithms`, at least `silence`.
    package static func loudest(of logarithms: [Float]) -> Float {
        max(silence, LogitKernels.maximum(of: logarithms, in: logarithms.indices))
    }

    /// Applies the scaling the network was trained on, `(max(y, loudest − 8) + 4) / 4`.
    package static func scale(_ logarithms: inout [Float], loudest: Float) {
        let floor = loudest - 8
        for i in logarithms.indices { logarithms[i] = (max(logarithms[i], floor) + 4) / 4 }
    }
}
