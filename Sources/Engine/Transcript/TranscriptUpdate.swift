/// What a recognition tells its listener while it works.
public enum TranscriptUpdate: Sendable, Equatable {
    /// Words that may still change; replaces the previous volatile text. `nil`: none.
    case volatile(TranscriptSegment?)
    /// Words that never change; in time order, each told once.
    case final(TranscriptSegment)
    /// How far the recognition has come.
    case progress(TranscriptionProgress)
    /// The language that the model heard, where none was given.
    case language(DetectedLanguage)
    /// What happened to a window besides its segments.
    case event(WindowEvent)
    /// How a live session is doing.
    case status(SessionStatus)
    /// Sound that a live session lost before it could be heard.
    case gap(SessionGap)
}

/// Position of a running recognition.
public struct TranscriptionProgress: Sendable, Equatable {
    /// Seconds of sound recognized so far.
    public var position: Double
    /// Seconds of sound in all, `nil` while unknown.
    public var duration: Double?

    public init(position: Double, duration: Double?) {
        self.position = position
        self.duration = duration
    }
}

/// A language and how sure the model is of it.
public struct DetectedLanguage: Sendable, Hashable {
    public let code: String
    public let probability: Double
}
