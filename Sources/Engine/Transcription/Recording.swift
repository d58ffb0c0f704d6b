/// A recording read to its end: its samples, and its spectrogram when a window of it is wanted.
///
/// Samples are kept as 16-bit numbers, long recordings on disk, so that memory does not grow with their length. They
/// are needed twice because the spectrogram is scaled by its loudest moment, which is known only at the end.
final class Recording {
    private(set) var samples: SampleStore
    private let spectrogram: LogMelSpectrogram
    private var loudest = LogMelSpectrogram.silence
    private var quietest = Float.infinity
    private var peak = -Float.infinity
    /// Why reading ended before the recording did.
    private(set) var failure: AudioFormatError?
    /// The first block's logarithms, which most short recordings need again at once.
    private var firstBlock: [Float] = []
    private var detector: EnergyDetector?
    /// Where somebody speaks, if that was asked for.
    private(set) var speech = SpeechMap()

    static let windowFrames = 3000

    /// - Parameter hearsSpeech: whether `speech` is wanted.
    init(bands: Int, hearsSpeech: Bool = false) {
        detector = hearsSpeech ? EnergyDetector() : nil
        spectrogram = LogMelSpectrogram(bands: bands)
        samples = SampleStore()
    }

    /// Reads `source` to its end, or to where reading fails midway (`failure`).
    ///
    /// - Throws: what `source` throws before its first sample, and what is no failure of reading.
    func read(_ source: some AudioSource, offset: Double, duration: Double?) async throws {
        do {
            try await readChunks(source, offset: offset, duration: duration)
        } catch let error as AudioFormatError where error.category == .ioError && samples.count > 0 {
            failure = error
        }
        speech.hear(detector?.finish() ?? [])
        try findLoudest()
    }

    /// Reads `source` from second `offset` on, for at most `duration` seconds.
    private func readChunks(_ source: some AudioSource, offset: Double, duration: Double?) async throws {
        let first = Self.sample(at: offset)
        let end = duration.map { first + Self.sample(at: $0) } ?? Int.max
        for try await chunk in source.chunks() {
            try Task.checkCancellation()
            let range = (chunk.start..<(chunk.start + chunk.samples.count)).clamped(to: first..<max(first, end))
            if !range.isEmpty {
                let part = Array(chunk.samples[(range.lowerBound - chunk.start)..<(range.upperBound - chunk.start)])
                for value in part {
                    peak = max(peak, value)
                    quietest = min(quietest, value)
                }
                speech.hear(detector?.feed(part) ?? [])
                try samples.append(part)
            }
            if chunk.start + chunk.samples.count >= end { break }
        }
    }

    private static func sample(at seconds: Double) -> Int {
        Int(min(max(0, seconds) * Double(AudioChunk.sampleRate), 1e15).rounded())
    }

    private func findLoudest() throws {
        firstBlock = try spectrogram.logarithms(
            0..<min(contentFrames + 3, Self.windowFrames), sampleCount: samples.count, read: { try samples.read($0) })
        for value in firstBlock where value > loudest { loudest = value }
        // Nothing but zeros is the least loud that there is.
        if contentFrames + 3 > Self.windowFrames, peak != 0 || quietest != 0 {
            loudest = max(loudest, try spectrogram.loudest(sampleCount: samples.count, read: { try samples.read($0) }))
        }
    }

    /// Frames (10 ms) of sound.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: samples.count) }

    /// Seconds of sound.
    var duration: Double { Double(samples.count) / Double(AudioChunk.sampleRate) }

    /// More than a window of nothing but zeros or one constant value.
    var isLongSilence: Bool { contentFrames > Self.windowFrames && peak - quietest <= 2 / 32_768 }

    /// Scaled log-mel of `frames`, `[frames, bands]`; frames behind the end are those of silence.
    func logMel(_ frames: Range<Int>) throws -> [Float] {
        let bands = spectrogram.bands
        var values: [Float]
        if frames.upperBound * bands <= firstBlock.count {
            values = Array(firstBlock[(frames.lowerBound * bands)..<(frames.upperBound * bands)])
        } else {
            values = try spectrogram.logarithms(frames, sampleCount: samples.count, read: { try samples.read($0) })
        }
        LogMelSpectrogram.scale(&values, loudest: loudest)
        return values
    }
}
