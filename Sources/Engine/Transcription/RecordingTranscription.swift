import EngineModels
import EngineTranscripts

/// A recording in the course of its transcription, one window after the other.
struct RecordingTranscription {
    private let summary: RecordingSummary
    private let decoder: any RecordingDecoder
    private let reporter: UpdateReporter
    /// End of the audio to transcribe, in seconds of the recording.
    private let end: Double

    /// - Parameter offset: seconds skipped at the start of the recording.
    init(_ summary: RecordingSummary, decoder: any RecordingDecoder, reporter: UpdateReporter, offset: Double) {
        self.summary = summary
        self.decoder = decoder
        self.reporter = reporter
        end = offset + summary.duration
    }

    /// Seconds of the recording at which the next window starts.
    var position: Double { min(reporter.times.restored(decoder.position), end) }

    var transcript: Transcript {
        Transcript(
            text: decoder.text, language: decoder.language, duration: summary.duration, segments: reporter.segments)
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
