/// Which part of a recording is recognized: the speech within its clips.
struct SpeechSelection {
    private let options: VoiceActivityOptions
    private let clips: [Double]

    /// What was found.
    struct Found: Sendable {
        let kept: KeptSound
        /// The clips in seconds of what was kept; none where none were asked for.
        let clips: [Double]
    }

    /// Samples looked at together, so that memory does not grow with the recording.
    private static let blockSamples = 30 * AudioChunk.sampleRate

    /// - Parameter clips: seconds as in `TranscriptionOptions.clipTimestamps`; speech is cut at their ends.
    init(_ options: VoiceActivityOptions, clips: [Double]) {
        self.options = options
        self.clips = clips
    }

    func find(sampleCount: Int, read: (Range<Int>) throws -> [Float]) throws -> Found {
        var finder = SpeechFinder(options)
        for first in stride(from: 0, to: sampleCount, by: Self.blockSamples) {
            try Task.checkCancellation()
            finder.feed(try read(first..<min(first + Self.blockSamples, sampleCount)))
        }
        let speech = finder.finish()
        guard !clips.isEmpty else { return Found(kept: KeptSound(speech), clips: []) }
        let frames = LogMelSpectrogram.contentFrames(samples: sampleCount)
        var stretches: [Range<Int>] = []
        var times: [Double] = []
        var count = 0
        for clip in ClipTimestamps(clips, contentFrames: frames).clips {
            // The last frame may be cut short.
            let end = clip.end == frames ? sampleCount : clip.end * LogMelSpectrogram.hop
            let range = (clip.start * LogMelSpectrogram.hop)..<max(clip.start * LogMelSpectrogram.hop, end)
            times.append(Double(count) / Double(AudioChunk.sampleRate))
            for stretch in speech.map({ $0.clamped(to: range) }) where !stretch.isEmpty {
                stretches.append(stretch)
                count += stretch.count
            }
            times.append(Double(count) / Double(AudioChunk.sampleRate))
        }
        return Found(kept: KeptSound(stretches), clips: times)
    }
}
