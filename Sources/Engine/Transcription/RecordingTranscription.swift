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
    private let speech: [TranscriptSpan]?

    init(
        _ summary: RecordingSummary, decoder: any RecordingDecoder, reporter: UpdateReporter,
        options: TranscriptionOptions
    ) {
        self.summary = summary
        self.decoder = decoder
        self.reporter = reporter
        end = options.offset + summary.duration
        speech = summary.speech(in: options)
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
        guard let window = try decoder.next() else { return false }
        reporter.report(window)
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
        return parts.flatMap { clip in stretches.map { $0.clamped(to: clip) } }.filter { !$0.isEmpty }.map {
            TranscriptSpan(
                start: options.offset + AudioChunk.seconds(of: $0.lowerBound),
                end: options.offset + AudioChunk.seconds(of: $0.upperBound))
        }
    }
}
