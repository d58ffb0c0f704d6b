import Dispatch
package import EngineAudio
import EngineModels
import Synchronization

/// Finds the maximum of a recording's log-mel spectrogram on another thread while the recording is being read.
package final class LoudnessScan: RecordingScan {
    private struct State {
        var scannedFrames = 0
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

    /// Scans new samples as soon as they fill a block.
    package func advance(to count: Int) {
        // A frame extends half its length beyond its center.
        let frames = (count - LogMelSpectrogram.frameLength / 2) / LogMelSpectrogram.hop
        let first = state.withLock { state -> Int? in
            guard frames >= state.scannedFrames + RecordingSpectrogram.windowFrames else { return nil }
            defer { state.scannedFrames += RecordingSpectrogram.windowFrames }
            return state.scannedFrames
        }
        guard let first else { return }
        queue.async { self.scan(first..<(first + RecordingSpectrogram.windowFrames), of: count) }
    }

    /// The maximum of what has been scanned; of the whole recording, as `LogMelSpectrogram.loudest`, when it has ended.
    package var loudest: Float { state.withLock { $0.loudest } }

    package func finish(sampleCount count: Int) throws {
        let scanned = state.withLock { $0.scannedFrames }
        try queue.sync {
            // Two more frames reach beyond the end of the audio.
            let end = LogMelSpectrogram.contentFrames(samples: count) + 3
            for first in stride(from: scanned, to: end, by: RecordingSpectrogram.windowFrames) {
                scan(first..<min(first + RecordingSpectrogram.windowFrames, end), of: count)
            }
            if let failure = state.withLock({ $0.failure }) { throw failure }
        }
    }

    private func scan(_ frames: Range<Int>, of count: Int) {
        do {
            // Zeros are no louder than `silence`.
            let first = max(0, frames.lowerBound * LogMelSpectrogram.hop - LogMelSpectrogram.frameLength)
            let last = max(first, min(count, frames.upperBound * LogMelSpectrogram.hop + LogMelSpectrogram.frameLength))
            if try samples.read(first..<last).allSatisfy({ $0 == 0 }) { return }
            let block = try spectrogram.logarithms(frames, sampleCount: count, read: { try samples.read($0) })
            let loudest = LogMelSpectrogram.loudest(of: block)
            state.withLock { $0.loudest = max($0.loudest, loudest) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }
}
