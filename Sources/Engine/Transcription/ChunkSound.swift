/// The log-mel spectrogram of a part of a recording, scaled by its own loudest moment.
final class ChunkSound {
    private let recording: Recording
    private let kept: KeptSound
    private let loudest: Float
    /// The logarithms of its first frames; most parts are no longer than a window.
    private let firstBlock: [Float]

    init(_ recording: Recording, _ kept: KeptSound) throws {
        self.recording = recording
        self.kept = kept
        // Two more frames reach over the end of the sound.
        let frames = LogMelSpectrogram.contentFrames(samples: kept.count) + 3, block = Recording.windowFrames + 3
        let read = { try Self.read($0, of: kept, recording) }
        firstBlock = try recording.spectrogram.logarithms(0..<min(frames, block), sampleCount: kept.count, read: read)
        loudest =
            frames <= block
            ? LogMelSpectrogram.loudest(of: firstBlock)
            : try recording.spectrogram.loudest(sampleCount: kept.count, read: read)
    }

    /// Frames (10 ms) of sound.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: kept.count) }

    /// As `Recording.logMel`.
    func logMel(_ frames: Range<Int>) throws -> [Float] {
        let bands = recording.spectrogram.bands
        var values =
            frames.upperBound * bands <= firstBlock.count
            ? Array(firstBlock[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
            : try recording.spectrogram.logarithms(
                frames, sampleCount: kept.count, read: { try Self.read($0, of: kept, recording) })
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }

    private static func read(_ range: Range<Int>, of kept: KeptSound, _ recording: Recording) throws -> [Float] {
        let parts = kept.originals(of: range)
        if parts.count == 1 { return try recording.original(parts[0]) }
        var samples: [Float] = []
        samples.reserveCapacity(range.count)
        for part in parts { samples += try recording.original(part) }
        return samples
    }
}
