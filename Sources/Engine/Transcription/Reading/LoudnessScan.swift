import Dispatch
import Synchronization

/// Finds the loudest moment of a recording on another thread while it is still being read.
package final class LoudnessScan: Sendable {
    private struct State {
        var scanned = 0
        var loudest = LogMelSpectrogram.silence
        var failure: (any Error)?
    }

    private let spectrogram: LogMelSpectrogram
    private let samples: SampleStore
    private let queue = DispatchQueue(label: "whisper-local.loudness")
    private let state = Mutex(State())

    package init(_ spectrogram: LogMelSpectrogram, of samples: SampleStore) {
        self.spectrogram = spectrogram
        self.samples = samples
    }

    /// Samples have come.
    ///
    /// - Parameter count: that there are now.
    func hear(upTo count: Int) {
        // A frame reaches half its length beyond its place.
        let frames = (count - LogMelSpectrogram.frameLength / 2) / LogMelSpectrogram.hop
        let first = state.withLock { state -> Int? in
            guard frames >= state.scanned + RecordingSpectrogram.windowFrames else { return nil }
            defer { state.scanned += RecordingSpectrogram.windowFrames }
            return state.scanned
        }
        guard let first else { return }
        queue.async { self.scan(first..<(first + RecordingSpectrogram.windowFrames), of: count) }
    }

    /// The greatest logarithm, the silence behind the end included, as `LogMelSpectrogram.loudest` gives it.
    ///
    /// - Parameter count: samples in all.
    func finish(sampleCount count: Int) throws -> Float {
        let scanned = state.withLock { $0.scanned }
        return try queue.sync {
            // Two more frames reach over the end of the sound.
            let end = LogMelSpectrogram.contentFrames(samples: count) + 3
            for first in stride(from: scanned, to: end, by: RecordingSpectrogram.windowFrames) {
                scan(first..<min(first + RecordingSpectrogram.windowFrames, end), of: count)
            }
            return try state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.loudest
            }
        }
    }

    private func scan(_ frames: Range<Int>, of count: Int) {
        do {
            let block = try spectrogram.logarithms(frames, sampleCount: count, read: { try samples.read($0) })
            let found = LogMelSpectrogram.loudest(of: block)
            state.withLock { $0.loudest = max($0.loudest, found) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}
