/// How subtitles are cut into cues and lines; needs word times. Names and meanings are openai-whisper's.
public struct SubtitleOptions: Hashable, Sendable {
    /// Most code points in a line; a single longer word stays whole. `nil` or 0 is 1000.
    public var maxLineWidth: Int?
    /// Most lines in a cue; `nil` or 0 is no limit. Together with a width, cues run across segments.
    public var maxLineCount: Int?
    /// Most words in a cue of a segment; `nil` or 0 is 1000.
    public var maxWordsPerLine: Int?
    /// Each word is underlined while it is spoken, in a cue of its own.
    public var highlightWords: Bool

    public init(
        maxLineWidth: Int? = nil, maxLineCount: Int? = nil, maxWordsPerLine: Int? = nil, highlightWords: Bool = false
    ) {
        self.maxLineWidth = maxLineWidth
        self.maxLineCount = maxLineCount
        self.maxWordsPerLine = maxWordsPerLine
        self.highlightWords = highlightWords
    }
}
