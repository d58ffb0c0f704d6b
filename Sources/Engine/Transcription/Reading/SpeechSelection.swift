/// Which part of a recording is recognized: the speech within its clips.
package struct SpeechSelection: Sendable {
    /// What was found.
    struct Found: Sendable {
        let kept: KeptAudio
        /// The clips in seconds of what was kept; none where none were asked for.
        let clips: [Double]
    }

    /// Seconds of a window, and so of the longest speech in batches.
    private static let windowSeconds = 30.0
    /// Milliseconds of silence that end speech in batches.
    private static let batchSilence = 160

    private let clips: [Double]
    private let isForBatches: Bool
    private var finder: SpeechFinder
    private var speech: [Range<Int>] = []
    private var chunks = SpeechChunker(seconds: windowSeconds)

    /// - Parameters:
    ///   - clips: seconds as in `TranscriptionOptions.clipTimestamps`; speech is cut at their ends.
    ///   - isForBatches: speech is cut at short silences, and where it is longer than a window.
    init(_ options: VoiceActivityOptions, clips: [Double], isForBatches: Bool) {
        self.clips = clips
        self.isForBatches = isForBatches
        finder =
            isForBatches
            ? SpeechFinder(options, defaultMinSilence: Self.batchSilence, maxSpeechSeconds: Self.windowSeconds)
            : SpeechFinder(options)
    }

    /// Hears the next samples.
    ///
    /// - Returns: parts that each fit into a window and that nothing to come will change; for batches only, and with
    ///   clips not before the end, on which they depend.
    mutating func feed(_ samples: [Float]) -> [KeptAudio] { take(finder.feed(samples)) }

    /// - Parameter sampleCount: of the whole recording.
    /// - Returns: what was found, and the parts that are left.
    mutating func finish(sampleCount: Int) -> (found: Found, parts: [KeptAudio]) {
        var parts = take(finder.finish())
        guard !clips.isEmpty else {
            if isForBatches, let last = chunks.finish() { parts.append(KeptAudio(last)) }
            return (Found(kept: KeptAudio(speech), clips: []), parts)
        }
        var stretches: [Range<Int>] = []
        var times: [Double] = []
        var count = 0
        for clip in Self.samples(ofClips: clips, sampleCount: sampleCount) {
            times.append(Double(count) / Double(AudioChunk.sampleRate))
            let inside = speech.map { $0.clamped(to: clip) }.filter { !$0.isEmpty }
            stretches += inside
            count += inside.map(\.count).reduce(0, +)
            times.append(Double(count) / Double(AudioChunk.sampleRate))
            guard isForBatches else { continue }
            parts += inside.compactMap { chunks.add($0) }.map { KeptAudio($0) }
            if let last = chunks.finish() { parts.append(KeptAudio(last)) }
        }
        return (Found(kept: KeptAudio(stretches), clips: times), parts)
    }

    private mutating func take(_ stretches: [Range<Int>]) -> [KeptAudio] {
        speech += stretches
        guard isForBatches, clips.isEmpty else { return [] }
        return stretches.compactMap { chunks.add($0) }.map { KeptAudio($0) }
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
