/// An update from a running transcription or live session. `TranscriptState` adds up those of a live session.
public enum TranscriptUpdate: Sendable, Equatable {
    /// Text that may still change and replaces the previous volatile text; `nil` clears it.
    case volatile(TranscriptSegment?)
    /// Text that never changes again. Finals arrive in order of their start, each exactly once, and clear the volatile
    /// text.
    case final(TranscriptSegment)
    /// The position reached in a recording: seconds transcribed and in total, both from its start. `duration` is `nil`
    /// while it is unknown.
    case progress(position: Double, duration: Double?)
    /// The detected language, if none was given in the options: its code, such as `en`, and its probability, 0…1, among
    /// the languages that the model knows. `speaker` is that of a separately transcribed channel.
    case language(code: String, probability: Double, speaker: String? = nil)
    /// What was skipped, dropped or decoded again.
    case event(Event)
    /// The status of a live session.
    case status(SessionStatus)
    /// Audio that a live session lost before it could be processed.
    case gap(SessionGap)
}

extension TranscriptUpdate {
    /// Something that happened to a window of a recording besides its segments. Its description is one line that says
    /// what was skipped, dropped or decoded again, where and why.
    public struct Event: Sendable, Hashable {
        /// The speaker, if it happened to a separately transcribed channel.
        public let speaker: String?
        package let window: WindowEvent

        package init(_ window: WindowEvent, speaker: String? = nil) {
            self.window = window
            self.speaker = speaker
        }
    }
}

extension TranscriptUpdate.Event: CustomStringConvertible {
    public var description: String { window.description }
}
