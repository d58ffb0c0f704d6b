/// A recording that was read: its samples, and its spectrogram when a window of it is wanted.
///
/// Samples are needed twice because the spectrogram is scaled by its loudest moment, which is known only at the end.
package final class RecordingSpectrogram {
    package let found: RecordingReader.Found
    /// Samples of the sound that is recognized.
    private let soundCount: Int
    private let sound: @Sendable (Range<Int>) throws -> [Float]
    private let spectrogram: LogMelSpectrogram
    private let blocks: SpectrogramBlocks
    /// `nil` until a window is wanted.
    private var loudest: Float?

    package static let windowFrames = 3000

    /// - Parameters:
    ///   - samples: those of what was found.
    ///   - ahead: whether there is a thread to spare for what is wanted next.
    package init(
        _ spectrogram: LogMelSpectrogram, samples: SampleStore, found: RecordingReader.Found, ahead: Bool = false
    ) {
        self.spectrogram = spectrogram
        self.found = found
        soundCount = found.speech?.kept.count ?? found.count
        sound = { [kept = found.speech?.kept] range in
            guard let kept else { return try samples.read(range) }
            return try kept.originalRanges(of: range).flatMap { try samples.read($0) }
        }
        blocks = SpectrogramBlocks(spectrogram, sampleCount: soundCount, ahead: ahead, read: sound)
        loudest = found.loudest
    }

    /// A recording of these samples.
    convenience init(_ spectrogram: LogMelSpectrogram, samples: [Float]) throws {
        let shared = SampleStore()
        try shared.append(samples)
        self.init(spectrogram, samples: shared, found: RecordingReader.Found(samples))
    }

    private func foundLoudest() throws -> Float {
        if let loudest { return loudest }
        let found: Float
        if contentFrames + 3 <= Self.windowFrames {
            found = LogMelSpectrogram.loudest(of: try blocks.logarithms(0..<(contentFrames + 3)))
        } else {
            found =
                self.found.isZero
                ? LogMelSpectrogram.silence : try spectrogram.loudest(sampleCount: soundCount, read: sound)
        }
        loudest = found
        return found
    }

    /// Frames (10 ms) of the sound that is recognized.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: soundCount) }

    /// More than a window of silence.
    var isLongSilence: Bool { contentFrames > Self.windowFrames && found.isSilence }

    /// Scaled log-mel of `frames`, `[frames, bands]`; frames behind the end are those of silence.
    package func logMel(_ frames: Range<Int>) throws -> [Float] {
        let loudest = try foundLoudest()
        var values = try blocks.logarithms(frames)
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }
}
