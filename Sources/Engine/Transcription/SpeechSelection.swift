/// Which part of a recording is recognized: the speech within its clips.
struct SpeechSelection {
    private let options: VoiceActivityOptions
    private let clips: [Double]

    private let isForBatches: Bool

    /// What was found.
    struct Found: Sendable {
        let kept: KeptSound
        /// The clips in seconds of what was kept; none where none were asked for.
        let clips: [Double]
        /// What was kept in parts that each fit into a window; empty unless asked for.
        let chunks: [KeptSound]
    }

    /// Samples looked at together, so that memory does not grow with the recording, and stays with the process.
    private static let blockSamples = 2 * AudioChunk.sampleRate
    /// Seconds of a window, and so of the longest speech in batches.
    private static let windowSeconds = 30.0
    /// Milliseconds of silence that end speech in batches.
    private static let batchSilence = 160

    /// - Parameters:
    ///   - clips: seconds as in `TranscriptionOptions.clipTimestamps`; speech is cut at their ends.
    ///   - isForBatches: speech is cut at short silences, and where it is longer than a window.
    init(_ options: VoiceActivityOptions, clips: [Double], isForBatches: Bool) {
        self.options = options
        self.clips = clips
        self.isForBatches = isForBatches
    }

    func find(sampleCount: Int, read: (Range<Int>) throws -> [Float]) throws -> Found {
        var finder =
            isForBatches
            ? SpeechFinder(options, standardSilence: Self.batchSilence, maxSpeechSeconds: Self.windowSeconds)
            : SpeechFinder(options)
        for first in stride(from: 0, to: sampleCount, by: Self.blockSamples) {
            try Task.checkCancellation()
            finder.feed(try read(first..<min(first + Self.blockSamples, sampleCount)))
        }
        let speech = finder.finish()
        var stretches: [Range<Int>] = []
        var times: [Double] = []
        var chunks: [KeptSound] = []
        var count = 0
        for clip in Self.samples(ofClips: clips, sampleCount: sampleCount) {
            times.append(Double(count) / Double(AudioChunk.sampleRate))
            let inside = speech.map { $0.clamped(to: clip) }.filter { !$0.isEmpty }
            stretches += inside
            count += inside.map(\.count).reduce(0, +)
            times.append(Double(count) / Double(AudioChunk.sampleRate))
            if isForBatches { chunks += SpeechChunks.pack(inside, seconds: Self.windowSeconds).map { KeptSound($0) } }
        }
        return Found(kept: KeptSound(stretches), clips: clips.isEmpty ? [] : times, chunks: chunks)
    }

    /// The clips in samples; the whole recording where there are none.
    static func samples(ofClips clips: [Double], sampleCount: Int) -> [Range<Int>] {
        guard !clips.isEmpty else { return [0..<sampleCount] }
        let frames = LogMelSpectrogram.contentFrames(samples: sampleCount)
        return ClipTimestamps(clips, contentFrames: frames).clips.map { clip in
            let start = clip.start * LogMelSpectrogram.hop
            // The last frame may be cut short.
            let end = clip.end == frames ? sampleCount : clip.end * LogMelSpectrogram.hop
            return start..<max(start, end)
        }
    }
}
