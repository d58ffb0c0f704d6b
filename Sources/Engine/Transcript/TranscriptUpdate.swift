/// An update from a running transcription or live session. `TranscriptState` adds up those of a live session.
public enum TranscriptUpdate: Sendable, Equatable {
    /// Text that may still change and replaces the previous volatile text; `nil` clears it.
    case volatile(TranscriptSegment?)
    /// Text that never changes again. Finals arrive in order of their start, each exactly once, and clear the volatile
    /// text.
    case final(TranscriptSegment)
    /// The position reached in a recording.
    case progress(TranscriptionProgress)
    /// The detected language, if none was given in the options.
    case language(DetectedLanguage)
    /// Something that happened to a window besides its segments.
    case event(WindowEvent)
    /// The status of a live session.
    case status(SessionStatus)
    /// Audio that a live session lost before it could be processed.
    case gap(SessionGap)
}

/// The position of a running transcription.
public struct TranscriptionProgress: Sendable, Equatable {
    /// Seconds of audio transcribed so far, from the start of the recording.
    public var position: Double
    /// Length of the audio to transcribe in seconds, from the start of the recording; `nil` while unknown.
    public var duration: Double?

    package init(position: Double, duration: Double?) {
        self.position = position
        self.duration = duration
    }
}

/// A detected language with its probability.
public struct DetectedLanguage: Sendable, Hashable {
    /// Code of the language, such as `en`.
    public let code: String
    /// 0…1, among the languages that the model knows.
    public let probability: Double
    /// The speaker whose channel was transcribed by itself; `nil` for a recording as a whole.
    public internal(set) var speaker: String?
}
