package import EngineTranscripts

/// The memory in which a model decodes one recording after another, or several in turns.
package protocol DecodingWorkspace: AnyObject {
    /// Detects the language of a recording unless it is known, and prepares its first window.
    ///
    /// - Parameters:
    ///   - options: their clips count from the start of the audio to transcribe.
    ///   - onTokens: receives the text that a window is likely to contain, again and again while it is decoded.
    ///   - updates: receives the detected language and what happens on the way, with times of the recording.
    func decoder(
        for recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void, updates: (TranscriptUpdate) -> Void
    ) throws -> any RecordingDecoder

    /// Times given words in a recording that has been decoded; `nil` if the model cannot.
    ///
    /// - Parameter language: the code of the spoken language.
    func forcedAligner(
        for recording: RecordedAudio, options: TranscriptionOptions, language: String
    ) -> (any ForcedAligner)?
}

extension DecodingWorkspace {
    package func forcedAligner(
        for recording: RecordedAudio, options: TranscriptionOptions, language: String
    ) -> (any ForcedAligner)? { nil }
}

/// Decodes a recording from start to end.
package protocol RecordingDecoder: AnyObject {
    /// The code of the spoken language.
    var language: String { get }
    /// The probability of every language, the greatest first, if the language was detected by them.
    var languageProbabilities: [DetectedLanguage]? { get }
    /// Seconds at which the next window starts. Times count from the start of the audio to transcribe.
    var position: Double { get }
    /// The text of all segments so far.
    var text: String { get }

    /// Decodes the next window.
    ///
    /// - Returns: `nil` at the end of the recording.
    /// - Throws: `CancellationError` if the task is cancelled; errors of reading; after an error, the same window can be
    ///   decoded again.
    func next() throws -> DecodedWindow?
}

extension RecordingDecoder {
    package var languageProbabilities: [DetectedLanguage]? { nil }
}

/// The final text of a window.
package struct DecodedWindow: Sendable {
    /// None if nothing was heard.
    package var segments: [TranscriptSegment]
    /// What else happened.
    package var events: [WindowEvent]
    /// The language that was detected in this window.
    package var language: DetectedLanguage?

    package init(segments: [TranscriptSegment], events: [WindowEvent] = []) {
        self.segments = segments
        self.events = events
    }
}

/// What a window is likely to contain while it is being decoded.
package struct LikelyTokens: Sendable {
    /// First 10 ms frame of the window.
    package let seek: Int
    /// Start of the window in seconds of the audio to transcribe, and its length.
    package let start: Double
    package let duration: Double
    package let tokens: [Int]

    package init(seek: Int, start: Double, duration: Double, tokens: [Int]) {
        self.seek = seek
        self.start = start
        self.duration = duration
        self.tokens = tokens
    }
}
