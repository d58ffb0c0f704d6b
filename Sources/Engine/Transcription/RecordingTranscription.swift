import EngineAudio
import EngineModels
import EngineTranscripts

/// A recording in the course of its transcription, one window after the other.
struct RecordingTranscription {
    private let summary: RecordingSummary
    private let decoder: any RecordingDecoder
    private let reporter: UpdateReporter
    /// End of the audio to transcribe, in seconds of the recording.
    private let end: Double
    let speech: [TranscriptSpan]?

    init(
        _ summary: RecordingSummary, decoder: any RecordingDecoder, reporter: UpdateReporter,
        options: TranscriptionOptions
    ) {
        self.summary = summary
        self.decoder = decoder
        self.reporter = reporter
        end = options.offset + summary.duration
        speech = summary.speech(in: options)
        if options.ordersTimes { reporter.speech = speech.map { SpeechSnapping($0) } }
        if let speech { reporter.report(speech: speech) }
    }

    /// Seconds of the recording at which the next window starts.
    var position: Double { min(reporter.times.restored(decoder.position), end) }

    var transcript: Transcript {
        var transcript = Transcript(
            text: decoder.text, language: reporter.mainLanguage ?? decoder.language, duration: summary.duration,
            segments: reporter.segments)
        transcript.speech = speech
        return transcript
    }

    /// Transcribes the next window and reports its segments.
    ///
    /// - Returns: `false` at the end of the recording.
    mutating func next() throws -> Bool {
        let start = position
        guard let window = try decoder.next() else { return false }
        reporter.report(window, in: start...max(start, position))
        reporter.report(position: position, duration: end)
        return true
    }
}

extension RecordingSummary {
    /// The speech inside the clips, with times of the recording.
    ///
    /// - Parameter options: clips count from the offset.
    func speech(in options: TranscriptionOptions) -> [TranscriptSpan]? {
        guard let stretches else { return nil }
        let clips = SpeechSelection.samples(ofClips: options.clipTimestamps, sampleCount: count)
        let parts = clips.count == 1 ? clips : clips.sorted { $0.lowerBound < $1.lowerBound }
        return options.spans(
            of: parts.flatMap { clip in stretches.map { $0.clamped(to: clip) } }.filter { !$0.isEmpty })
    }
}

extension TranscriptionOptions {
    /// Times of the recording for samples after the offset.
    func spans(of ranges: [Range<Int>]) -> [TranscriptSpan] { ranges.map(span) }

    func span(of range: Range<Int>) -> TranscriptSpan {
        TranscriptSpan(
            start: offset + AudioChunk.seconds(of: range.lowerBound),
            end: offset + AudioChunk.seconds(of: range.upperBound))
    }
}
