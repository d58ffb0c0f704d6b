/// Whose rules for cues and lines subtitles follow.
public enum SubtitleStyle: String, CaseIterable, Codable, Hashable, Sendable {
    /// Sentences and clauses in at most two balanced lines of 42 characters that can be read while they are shown.
    case readable
    /// The same with the limits of Netflix's guidelines for the language.
    case netflix
    /// The same with the limits of the BBC's guidelines.
    case bbc
    /// openai-whisper's: a cue for each segment, or whatever the widths and counts say.
    case whisper
}

/// How subtitles are divided into cues and lines.
public struct SubtitleOptions: Hashable, Sendable {
    /// `nil` is `whisper` if one of openai-whisper's options below is set, else `readable`.
    public var style: SubtitleStyle?
    /// In openai-whisper's style, the maximum number of code points per line, else of columns; a longer word is not split.
    /// `nil` or 0 for 1000, or what the style says.
    public var maxLineWidth: Int?
    /// Maximum number of lines per cue; `nil` or 0 for no limit, or what the style says. In openai-whisper's style, cues
    /// continue across segments if there is a width as well.
    public var maxLineCount: Int?
    /// Maximum number of words per cue, in openai-whisper's style unless both width and count are set; `nil` or 0 for 1000.
    public var maxWordsPerLine: Int?
    /// Whether each word is underlined while it is spoken, in a separate cue.
    public var highlightWords: Bool
    /// Code of the language of the text; `nil` is the transcript's.
    public var language: String?
    /// Times in seconds at which a new cue starts, even if the lines have room: the starts of the clips. Not in
    /// openai-whisper, whose cues continue into the next clip.
    public var clipStarts: [Double] = []
    /// Whether each segment stays a cue with its own lines, as in subtitles that are timed again.
    package var keepsSegments = false

    public init(
        style: SubtitleStyle? = nil, maxLineWidth: Int? = nil, maxLineCount: Int? = nil, maxWordsPerLine: Int? = nil,
        highlightWords: Bool = false
    ) {
        self.style = style
        self.maxLineWidth = maxLineWidth
        self.maxLineCount = maxLineCount
        self.maxWordsPerLine = maxWordsPerLine
        self.highlightWords = highlightWords
    }

    /// Whether one of openai-whisper's options is set.
    package var hasWhisperOptions: Bool {
        highlightWords || [maxLineWidth, maxLineCount, maxWordsPerLine].contains { $0 ?? 0 > 0 }
    }

    /// The style that applies.
    package var chosenStyle: SubtitleStyle { style ?? (hasWhisperOptions ? .whisper : .readable) }
}

/// A text on the screen and its times.
package struct SubtitleCue: Hashable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    package var text: String
    /// Who says it; the text names the speaker as well.
    package var speaker: String?

    package init(start: Timestamp, end: Timestamp, text: String, speaker: String? = nil) {
        self.start = start
        self.end = end
        self.text = text
        self.speaker = speaker
    }
}
