import EngineTranscripts
import EngineWeights
import EngineWhisper

/// A recording in the course of its transcription, one window after the other.
struct RecordingTranscription {
    let language: String
    private let recording: RecordingSpectrogram
    private let decoder: NetworkDecoder
    private let reporter: UpdateReporter
    private var loop: SeekLoop
    /// End of the audio to transcribe, in seconds of the recording.
    private let end: Double
    private var isAtEnd = false

    /// - Parameter options: clips count from the start of the audio to transcribe.
    init(
        _ recording: RecordingSpectrogram, decoder: NetworkDecoder, reporter: UpdateReporter, tokenizer: Tokenizer,
        language: String, options: TranscriptionOptions
    ) {
        self.recording = recording
        self.decoder = decoder
        self.reporter = reporter
        self.language = language
        loop = SeekLoop(
            options: options, contentFrames: recording.contentFrames, tokenizer: tokenizer, language: language,
            decoder: decoder,
            guards: options.guards ? Guards(speech: recording.summary.voiced, options: options) : nil)
        end = options.offset + recording.summary.duration
    }

    /// Seconds of the recording at which the next window starts.
    var position: Double { min(reporter.times.restored(Double(loop.position) / 100), end) }

    var transcript: Transcript {
        Transcript(
            text: loop.text, language: language, duration: recording.summary.duration, segments: reporter.segments)
    }

    /// Transcribes the next window and reports its segments.
    ///
    /// - Returns: `false` at the end of the recording.
    mutating func next() throws -> Bool {
        guard !isAtEnd else { return false }
        decoder.forgetWindow()
        guard let window = try loop.next() else {
            isAtEnd = true
            return false
        }
        reporter.report(window, events: loop.events)
        reporter.report(position: position, duration: end)
        // All full windows of silence are the same, so that hours of it are decoded only once.
        isAtEnd = recording.isLongSilence && window.allSatisfy { $0.text.isEmpty }
        return true
    }
}
