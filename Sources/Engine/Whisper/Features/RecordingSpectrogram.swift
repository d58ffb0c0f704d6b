import EngineAudio
package import EngineModels
import EngineVoices

/// The spectrogram of a recording that has been read.
///
/// Every window is computed from the stored samples, because the scale depends on the loudest frame of the whole
/// recording, which is known only after reading it.
package final class RecordingSpectrogram: WindowSpectrogram {
    package let recording: RecordedAudio
    private let spectrogram: LogMelSpectrogram
    private let blocks: SpectrogramBlocks
    /// `nil` until the first window is computed.
    private var loudest: Float?

    static let windowFrames = AudioContext.windowFrames

    /// - Parameter ahead: whether a thread is available to compute the next frames in advance.
    package init(_ spectrogram: LogMelSpectrogram, of recording: RecordedAudio, ahead: Bool = false) {
        self.spectrogram = spectrogram
        self.recording = recording
        blocks = SpectrogramBlocks(
            spectrogram, sampleCount: recording.count, ahead: ahead, read: { try recording.read($0) })
        if let scan = recording.scan as? LoudnessScan {
            loudest = recording.summary.isZero ? LogMelSpectrogram.silence : scan.loudest
        }
    }

    package var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: recording.count) }

    /// More than a window of silence.
    var isLongSilence: Bool { contentFrames > Self.windowFrames && recording.summary.isSilence }

    package func logMel(_ frames: Range<Int>) throws -> [Float] {
        let loudest = try findLoudest()
        var values = try blocks.logarithms(frames)
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }

    private func findLoudest() throws -> Float {
        if let loudest { return loudest }
        let maximum: Float
        if contentFrames + 3 <= Self.windowFrames {
            maximum = LogMelSpectrogram.loudest(of: try blocks.logarithms(0..<(contentFrames + 3)))
        } else if recording.summary.isZero {
            maximum = LogMelSpectrogram.silence
        } else {
            maximum = try spectrogram.loudest(sampleCount: recording.count, read: { try recording.read($0) })
        }
        loudest = maximum
        return maximum
    }
}

/// The spectrogram of a chunk of speech, scaled by its own loudest frame.
final class ChunkSpectrogram: WindowSpectrogram {
    private let spectrogram: LogMelSpectrogram
    private let samples: SampleStore
    private let kept: KeptAudio
    private let loudest: Float
    /// Logarithms of the first frames; most chunks are no longer than a window.
    private let firstBlock: [Float]

    /// - Parameter samples: contain at least those of `kept`.
    init(_ kept: KeptAudio, of samples: SampleStore, _ spectrogram: LogMelSpectrogram) throws {
        self.spectrogram = spectrogram
        self.samples = samples
        self.kept = kept
        // Two more frames reach beyond the end of the audio.
        let frames = LogMelSpectrogram.contentFrames(samples: kept.count) + 3,
            block = RecordingSpectrogram.windowFrames + 3
        let read = { try samples.read($0, of: kept) }
        firstBlock = try spectrogram.logarithms(0..<min(frames, block), sampleCount: kept.count, read: read)
        loudest =
            frames <= block
            ? LogMelSpectrogram.loudest(of: firstBlock)
            : try spectrogram.loudest(sampleCount: kept.count, read: read)
    }

    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: kept.count) }

    func logMel(_ frames: Range<Int>) throws -> [Float] {
        let bands = spectrogram.bands
        var values =
            frames.upperBound * bands <= firstBlock.count
            ? Array(firstBlock[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
            : try spectrogram.logarithms(
                frames, sampleCount: kept.count, read: { try samples.read($0, of: kept) })
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }
}
