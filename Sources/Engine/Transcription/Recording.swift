/// A recording that was read: its samples, and its spectrogram when a window of it is wanted.
///
/// Samples are needed twice because the spectrogram is scaled by its loudest moment, which is known only at the end.
final class Recording {
    let found: RecordingReader.Found
    private let samples: SharedSamples
    private let spectrogram: LogMelSpectrogram
    /// `nil` until a window is wanted.
    private var loudest: Float?
    /// The first block's logarithms, which most short recordings need again at once.
    private var firstBlock: [Float] = []

    static let windowFrames = 3000

    /// - Parameter samples: those of what was found.
    init(_ spectrogram: LogMelSpectrogram, samples: SharedSamples, found: RecordingReader.Found) {
        self.spectrogram = spectrogram
        self.samples = samples
        self.found = found
    }

    /// A recording of these samples.
    convenience init(_ spectrogram: LogMelSpectrogram, samples: [Float]) throws {
        let shared = SharedSamples()
        try shared.append(samples)
        self.init(spectrogram, samples: shared, found: RecordingReader.Found(samples))
    }

    private func foundLoudest() throws -> Float {
        if let loudest { return loudest }
        firstBlock = try spectrogram.logarithms(
            0..<min(contentFrames + 3, Self.windowFrames), sampleCount: soundCount, read: { try sound($0) })
        var found = LogMelSpectrogram.loudest(of: firstBlock)
        // Nothing but zeros is the least loud that there is.
        if contentFrames + 3 > Self.windowFrames, self.found.peak != 0 || self.found.quietest != 0 {
            found = max(found, try spectrogram.loudest(sampleCount: soundCount, read: { try sound($0) }))
        }
        loudest = found
        return found
    }

    /// Samples of the sound that is recognized.
    private var soundCount: Int { found.speech?.kept.count ?? found.count }

    private func sound(_ range: Range<Int>) throws -> [Float] {
        guard let speech = found.speech else { return try samples.read(range) }
        return try speech.kept.originals(of: range).flatMap { try samples.read($0) }
    }

    /// Frames (10 ms) of the sound that is recognized.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: soundCount) }

    /// More than a window of silence.
    var isLongSilence: Bool { contentFrames > Self.windowFrames && found.isSilence }

    /// Scaled log-mel of `frames`, `[frames, bands]`; frames behind the end are those of silence.
    func logMel(_ frames: Range<Int>) throws -> [Float] {
        let bands = spectrogram.bands, loudest = try foundLoudest()
        var values: [Float]
        if frames.upperBound * bands <= firstBlock.count {
            values = Array(firstBlock[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
        } else {
            values = try spectrogram.logarithms(frames, sampleCount: soundCount, read: { try sound($0) })
        }
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }
}
