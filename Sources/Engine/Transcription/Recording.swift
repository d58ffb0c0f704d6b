/// A recording read to its end: its samples, and its spectrogram when a window of it is wanted.
///
/// Samples are kept as 16-bit numbers, long recordings on disk, so that memory does not grow with their length. They
/// are needed twice because the spectrogram is scaled by its loudest moment, which is known only at the end.
final class Recording {
    private(set) var samples: SampleStore
    let spectrogram: LogMelSpectrogram
    /// `nil` until a window is wanted.
    private var loudest: Float?
    private var quietest = Float.infinity
    private var peak = -Float.infinity
    /// Why reading ended before the recording did.
    private(set) var failure: AudioFormatError?
    /// The part of the sound that is recognized; `nil` is all of it.
    private(set) var speech: SpeechSelection.Found?
    /// The first block's logarithms, which most short recordings need again at once.
    private var firstBlock: [Float] = []
    private var detector: EnergyDetector?
    /// Where in the sound that is recognized somebody speaks, if that was asked for.
    private(set) var voiced = SpeechMap()

    static let windowFrames = 3000

    /// - Parameter hearsSpeech: whether `voiced` is wanted.
    init(bands: Int, hearsSpeech: Bool = false) {
        detector = hearsSpeech ? EnergyDetector() : nil
        spectrogram = LogMelSpectrogram(bands: bands)
        samples = SampleStore()
    }

    /// Reads `source` to its end, or to where reading fails midway (`failure`).
    ///
    /// - Parameter speech: what is to be recognized of it; `nil` is all.
    /// - Throws: what `source` throws before its first sample, and what is no failure of reading.
    func read(_ source: some AudioSource, offset: Double, duration: Double?, speech: SpeechSelection? = nil)
        async throws
    {
        do {
            try await readChunks(source, offset: offset, duration: duration)
        } catch let error as AudioFormatError where error.category == .ioError && samples.count > 0 {
            failure = error
        }
        voiced.hear(detector?.finish() ?? [])
        self.speech = try speech.map { selection in
            try selection.find(sampleCount: samples.count, read: { try samples.read($0) })
        }
        if self.speech != nil {
            // What was kept was kept because somebody speaks there.
            voiced = SpeechMap()
            voiced.hear([.opened(at: 0), .closed(at: soundCount)])
        }
    }

    /// A recording of these samples.
    convenience init(bands: Int, samples: [Float]) throws {
        self.init(bands: bands)
        note(samples)
        try self.samples.append(samples)
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
                note(part)
                voiced.hear(detector?.feed(part) ?? [])
                try samples.append(part)
            }
            if chunk.start + chunk.samples.count >= end { break }
        }
    }

    private func note(_ part: [Float]) {
        SampleKernels.extremes(of: part, least: &quietest, greatest: &peak)
    }

    private static func sample(at seconds: Double) -> Int {
        Int(min(max(0, seconds) * Double(AudioChunk.sampleRate), 1e15).rounded())
    }

    private func foundLoudest() throws -> Float {
        if let loudest { return loudest }
        firstBlock = try spectrogram.logarithms(
            0..<min(contentFrames + 3, Self.windowFrames), sampleCount: soundCount, read: { try sound($0) })
        var found = LogMelSpectrogram.loudest(of: firstBlock)
        // Nothing but zeros is the least loud that there is.
        if contentFrames + 3 > Self.windowFrames, peak != 0 || quietest != 0 {
            found = max(found, try spectrogram.loudest(sampleCount: soundCount, read: { try sound($0) }))
        }
        loudest = found
        return found
    }

    /// Samples of the sound that is recognized.
    private var soundCount: Int { speech?.kept.count ?? samples.count }

    /// Samples of all that was read.
    func original(_ range: Range<Int>) throws -> [Float] { try samples.read(range) }

    private func sound(_ range: Range<Int>) throws -> [Float] {
        guard let speech else { return try samples.read(range) }
        return try speech.kept.originals(of: range).flatMap { try samples.read($0) }
    }

    /// Frames (10 ms) of the sound that is recognized.
    var contentFrames: Int { LogMelSpectrogram.contentFrames(samples: soundCount) }

    /// Seconds of all that was read.
    var duration: Double { Double(samples.count) / Double(AudioChunk.sampleRate) }

    /// Nothing but zeros or one constant value.
    var isSilence: Bool { peak - quietest <= 2 / 32_768 }

    /// More than a window of it.
    var isLongSilence: Bool { contentFrames > Self.windowFrames && isSilence }

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
