package import EngineAudio
import EngineBasics
package import EngineModels
package import EngineVoices

/// Reads a recording, or part of it, and analyzes the samples on the way.
package struct RecordingReader: Sendable {
    /// Samples of silence that are read back at a time.
    private static let blockSamples = 1 << 20

    /// Seconds to skip at the start.
    private let offset: Double
    /// Seconds to read after the offset; `nil` reads to the end.
    private let duration: Double?
    /// The detector for `RecordingSummary.voiced`; `nil` leaves it empty.
    private let detector: VoiceActivityOptions.Detector?
    /// Selects the speech to transcribe; `nil` transcribes everything.
    let speech: SpeechSelection?

    package init(
        offset: Double = 0, duration: Double? = nil, detector: VoiceActivityOptions.Detector? = nil,
        speech: SpeechSelection? = nil
    ) {
        self.offset = offset
        self.duration = duration
        self.detector = detector
        self.speech = speech
    }

    /// - Parameters:
    ///   - options: clips count from the offset.
    ///   - start: when the audio begins on the clock of the offset.
    init(_ options: TranscriptionOptions, from start: Duration, for model: ModelTraits) {
        self.init(
            offset: options.offset - start / .seconds(1), duration: options.duration,
            detector: options.detectsSpeech && options.voiceActivity == nil ? options.guardDetector ?? .energy : nil,
            speech: options.voiceActivity.map {
                SpeechSelection(
                    $0, clips: options.clipTimestamps,
                    batchSeconds: options.windowsAtOnce > 1
                        ? min(model.longestWindow, options.whisper.chunkLength ?? .infinity) : nil)
            })
    }

    /// Reads `source` to its end, or to where reading fails midway (`RecordingSummary.failure`).
    ///
    /// - Parameters:
    ///   - samples: receives the samples.
    ///   - scan: examines the samples in parallel.
    ///   - onChunk: receives the chunks of speech for batches as soon as they are known and their samples are stored, and the
    ///     stretches of speech known by then.
    /// - Throws: errors of `source` before its first sample, and errors other than read failures.
    package func read(
        _ source: some AudioSource, into samples: SampleStore, scan: (any RecordingScan)? = nil,
        onChunk: (KeptAudio, [Range<Int>]?) -> Void = { _, _ in }
    ) async throws -> RecordingSummary {
        var summary = RecordingSummary()
        var selection = speech
        var detector = detector?.makeDetector(keepsStretches: true)
        /// Samples that have been searched for speech.
        var searched = 0
        func search(_ samples: [Float]) {
            summary.voiced.add(detector?.feed(samples) ?? [])
            for chunk in selection?.feed(samples) ?? [] { onChunk(chunk, selection?.stretches?.ranges) }
            searched += samples.count
        }
        do {
            try await forEachChunk(of: source) { chunk in
                let start = summary.count
                summary.add(chunk)
                try samples.append(chunk)
                if !summary.isZero { scan?.advance(to: summary.count) }
                // While all is silent, there is nothing to search for: a small file may contain hours of silence.
                guard !summary.isSilence else { return }
                while searched < start { search(try samples.read(searched..<min(start, searched + Self.blockSamples))) }
                search(chunk)
            }
        } catch let error as AudioFormatError where error.isReadError && summary.count > 0 {
            summary.failure = error
        }
        if !summary.isZero { try scan?.finish(sampleCount: summary.count) }
        summary.voiced.add(detector?.finish() ?? [])
        summary.stretches = detector?.stretches?.ranges
        if let (speech, chunks) = selection?.finish(sampleCount: summary.count) {
            for chunk in chunks { onChunk(chunk, selection?.stretches?.ranges) }
            summary.speech = speech
            summary.stretches = selection?.stretches?.ranges
            // All audio that was kept is speech.
            summary.voiced = SpeechIntervals()
            summary.voiced.add([.opened(at: 0), .closed(at: speech.kept.count)])
        }
        return summary
    }

    private func forEachChunk(of source: some AudioSource, _ body: ([Float]) throws -> Void) async throws {
        let first = Self.sample(at: offset)
        let end = duration.map { first + Self.sample(at: $0) } ?? Int.max
        for try await chunk in source.chunks() {
            try Task.checkCancellation()
            let range = (chunk.start..<(chunk.start + chunk.samples.count)).clamped(to: first..<max(first, end))
            if !range.isEmpty {
                try body(Array(chunk.samples[(range.lowerBound - chunk.start)..<(range.upperBound - chunk.start)]))
            }
            if chunk.start + chunk.samples.count >= end { break }
        }
        // A stream also ends, without an error, when its task is cancelled.
        try Task.checkCancellation()
    }

    private static func sample(at seconds: Double) -> Int {
        Int(min(max(0, seconds) * Double(AudioChunk.sampleRate), 1e15).rounded())
    }
}
