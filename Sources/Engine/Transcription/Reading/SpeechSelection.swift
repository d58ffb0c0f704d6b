import EngineAudio
import EngineModels
import EngineVoices

/// Selects the speech within the clips of a recording for transcription.
package struct SpeechSelection: Sendable {
    /// How much shorter than a window several segments in one chunk are, in seconds. Whisper often leaves the last sentence
    /// of a full window to the next one; with two seconds of silence at the end, it rarely does.
    private static let chunkMargin = 2.0
    /// Milliseconds of silence that end speech in batches.
    private static let batchSilence = 160

    private let clips: [Double]
    private let isForBatches: Bool
    private var finder: SpeechFinder
    var stretches: SpeechStretches? { finder.stretches }
    private var speech: [Range<Int>] = []
    private var chunks: SpeechChunker

    /// - Parameters:
    ///   - clips: seconds as in `TranscriptionOptions.clipTimestamps`; speech is split at their ends.
    ///   - batchSeconds: for batches, the length of a window: splits speech at short silences, and if it is longer.
    init(_ options: VoiceActivityOptions, clips: [Double], batchSeconds: Double?) {
        self.clips = clips
        isForBatches = batchSeconds != nil
        finder =
            batchSeconds.map {
                SpeechFinder(options, defaultMinSilence: Self.batchSilence, maxSpeechSeconds: $0)
            } ?? SpeechFinder(options)
        chunks = SpeechChunker(seconds: (batchSeconds ?? 0) - Self.chunkMargin)
    }

    /// Processes the next samples.
    ///
    /// - Returns: chunks that each fit into a window and that later samples will not change. Empty unless for batches;
    ///   with clips all chunks are returned at the end, because clips depend on it.
    mutating func feed(_ samples: [Float]) -> [KeptAudio] { add(finder.feed(samples)) }

    /// - Parameter sampleCount: of the whole recording.
    /// - Returns: the selected speech, and the remaining chunks.
    mutating func finish(sampleCount: Int) -> (selected: SelectedSpeech, chunks: [KeptAudio]) {
        var ready = add(finder.finish())
        guard !clips.isEmpty else {
            if isForBatches, let last = chunks.finish() { ready.append(KeptAudio(last)) }
            return (SelectedSpeech(kept: KeptAudio(speech), clips: []), ready)
        }
        var kept: [Range<Int>] = []
        var times: [Double] = []
        var count = 0
        for clip in Self.samples(ofClips: clips, sampleCount: sampleCount) {
            times.append(AudioChunk.seconds(of: count))
            let inside = speech.map { $0.clamped(to: clip) }.filter { !$0.isEmpty }
            kept += inside
            count += inside.map(\.count).reduce(0, +)
            times.append(AudioChunk.seconds(of: count))
            guard isForBatches else { continue }
            ready += inside.compactMap { chunks.add($0) }.map { KeptAudio($0) }
            if let last = chunks.finish() { ready.append(KeptAudio(last)) }
        }
        return (SelectedSpeech(kept: KeptAudio(kept), clips: times), ready)
    }

    private mutating func add(_ ranges: [Range<Int>]) -> [KeptAudio] {
        speech += ranges
        guard isForBatches, clips.isEmpty else { return [] }
        return ranges.compactMap { chunks.add($0) }.map { KeptAudio($0) }
    }

    /// The clips as ranges of samples; the whole recording if there are none.
    static func samples(ofClips clips: [Double], sampleCount: Int) -> [Range<Int>] {
        guard !clips.isEmpty else { return [0..<sampleCount] }
        let frames = sampleCount / ClipTimestamps.frameSamples
        return ClipTimestamps(clips, contentFrames: frames).clips.map { clip in
            let start = clip.start * ClipTimestamps.frameSamples
            // The last frame may be incomplete.
            let end = clip.end == frames ? sampleCount : clip.end * ClipTimestamps.frameSamples
            return start..<max(start, end)
        }
    }
}
