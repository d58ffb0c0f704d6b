/// The log-mel spectrogram of a recording, frame by frame when asked.
///
/// The reference scales the whole spectrogram by its loudest value, so a window's numbers depend on the entire
/// recording. To keep memory constant only that one value is kept: a first pass over the samples finds it
/// (`loudest`), and windows are computed from the samples when the network wants them.
package struct LogMelSpectrogram: Sendable {
    /// Gives the samples of a range inside the recording.
    package typealias Read = (Range<Int>) throws -> [Float]

    package static let hop = 160
    /// Samples of a frame; it is centred on its place, so half of them lie before.
    package static let frameLength = 400
    /// log10 of the least power that counts.
    package static let silence: Float = -10

    package let bands: Int
    private let kernel: LogMelKernel

    package init(bands: Int) {
        self.bands = bands
        kernel = LogMelKernel(filters: MelFilterBank.filters(bands: bands))
    }

    /// Frames of sound in so many samples. The zeros that the reference appends make 3000 frames more.
    package static func contentFrames(samples: Int) -> Int { samples / hop }

    /// log10 of the mel bands of `frames`, as `[frames, bands]`, before scaling.
    ///
    /// Before its start the recording is reflected, behind its end there are zeros.
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
            // x[−k] = x[k]; a recording shorter than that goes on in zeros.
            let needed = 1..<(1 - first)
            var mirrored = try read(needed.clamped(to: 0..<max(sampleCount, 1)).clamped(to: 0..<sampleCount))
            mirrored.append(contentsOf: repeatElement(0, count: needed.count - mirrored.count))
            samples = mirrored.reversed() + samples
        }
        return kernel.logMel(samples, frames: frames.count)
    }

    /// The greatest logarithm of the whole recording, the silence behind it included.
    package func loudest(sampleCount: Int, read: Read) rethrows -> Float {
        // Two more frames reach over the end of the sound.
        let frames = Self.contentFrames(samples: sampleCount) + 3
        var loudest = Self.silence
        for first in stride(from: 0, to: frames, by: 3000) {
            let block = try logarithms(first..<min(first + 3000, frames), sampleCount: sampleCount, read: read)
            loudest = max(loudest, Self.loudest(of: block))
        }
        return loudest
    }

    /// The greatest of some logarithms.
    package static func loudest(of logarithms: [Float]) -> Float {
        max(silence, LogitKernels.maximum(of: logarithms, in: logarithms.indices))
    }

    /// `(max(y, loudest − 8) + 4) / 4`, the scale the network was trained on.
    package static func scale(_ logarithms: inout [Float], loudest: Float) {
        let floor = loudest - 8
        for i in logarithms.indices { logarithms[i] = (max(logarithms[i], floor) + 4) / 4 }
    }
}
