import EngineBasics

/// How the speaker of a segment is named in the text formats. Names come from the user: whatever they contain, a name
/// stays on its line and within its field.
package enum SpeakerLabel {
    /// The speaker's name without control characters; empty if there is none.
    static func name(_ segment: TranscriptSegment) -> String { name(segment.speaker) }

    static func name(_ speaker: String?) -> String { (speaker ?? "").replacingControlCharacters(with: " ") }

    /// `[speaker 1] `; empty without a speaker.
    package static func prefix(_ segment: TranscriptSegment) -> String { prefix(segment.speaker) }

    static func prefix(_ speaker: String?) -> String { speaker == nil ? "" : "[" + name(speaker) + "] " }

    /// WebVTT's voice tag, `<v speaker 1>`; empty without a speaker.
    static func voiceTag(_ speaker: String?) -> String {
        speaker == nil ? "" : "<v " + OutputText.webVTT(name(speaker)) + ">"
    }
}

extension Transcript {
    /// Whether any segment has a speaker.
    var hasSpeakers: Bool { segments.contains { $0.speaker != nil } }
}
