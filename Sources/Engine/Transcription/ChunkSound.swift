/// The log-mel spectrogram of a part of a recording, scaled by its own loudest moment.
final class ChunkSound {
    private let recording: Recording
    private let kept: KeptSound
    private let loudest: Float

    init(_ recording: Recording, _ kept: KeptSound) throws {
        self.recording = recording
        self.kept = kept
        loudest = try recording.spectrogram.loudest(
            sampleCount: kept.count, read: { try Self.read($0, of: kept, recording) })
    }

    /// Frames (10 ms) of sound.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: kept.count) }

    /// As `Recording.logMel`.
    func logMel(_ frames: Range<Int>) throws -> [Float] {
        var values = try recording.spectrogram.logarithms(
            frames, sampleCount: kept.count, read: { try Self.read($0, of: kept, recording) })
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }

    private static func read(_ range: Range<Int>, of kept: KeptSound, _ recording: Recording) throws -> [Float] {
        try kept.originals(of: range).flatMap { try recording.original($0) }
    }
}
