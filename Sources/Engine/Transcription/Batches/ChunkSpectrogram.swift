/// The log-mel spectrogram of a part of a recording, scaled by its own loudest moment.
final class ChunkSpectrogram {
    private let spectrogram: LogMelSpectrogram
    private let samples: SampleStore
    private let kept: KeptAudio
    private let loudest: Float
    /// The logarithms of its first frames; most parts are no longer than a window.
    private let firstBlock: [Float]

    /// - Parameter samples: hold at least those of `kept`.
    init(_ kept: KeptAudio, of samples: SampleStore, _ spectrogram: LogMelSpectrogram) throws {
        self.spectrogram = spectrogram
        self.samples = samples
        self.kept = kept
        // Two more frames reach over the end of the sound.
        let frames = LogMelSpectrogram.contentFrames(samples: kept.count) + 3,
            block = RecordingSpectrogram.windowFrames + 3
        let read = { try Self.read($0, of: kept, samples) }
        firstBlock = try spectrogram.logarithms(0..<min(frames, block), sampleCount: kept.count, read: read)
        loudest =
            frames <= block
            ? LogMelSpectrogram.loudest(of: firstBlock)
            : try spectrogram.loudest(sampleCount: kept.count, read: read)
    }

    /// Frames (10 ms) of sound.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: kept.count) }

    /// As `RecordingSpectrogram.logMel`.
    func logMel(_ frames: Range<Int>) throws -> [Float] {
        let bands = spectrogram.bands
        var values =
            frames.upperBound * bands <= firstBlock.count
            ? Array(firstBlock[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
            : try spectrogram.logarithms(
                frames, sampleCount: kept.count, read: { try Self.read($0, of: kept, samples) })
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }

    private static func read(_ range: Range<Int>, of kept: KeptAudio, _ recorded: SampleStore) throws -> [Float] {
        let parts = kept.originalRanges(of: range)
        if parts.count == 1 { return try recorded.read(parts[0]) }
        var samples: [Float] = []
        samples.reserveCapacity(range.count)
        for part in parts { samples += try recorded.read(part) }
        return samples
    }
}
