public import EngineBasics
public import EngineTranscripts

/// A text whose times in a recording are sought: plain text, Markdown, subtitles, a transcript or a list of words.
public struct AlignmentScript: Hashable, Sendable {
    /// A line, a paragraph or a cue.
    public struct Passage: Hashable, Sendable {
        /// As it is shown. May have several lines.
        public var text: String
        /// Who says it, if the text names speakers apart from what they say, as WebVTT's voice tags do.
        public var speaker: String?
        /// The times that the text has, perhaps wrong ones.
        public var times: TranscriptSpan?

        public init(_ text: String, speaker: String? = nil, times: TranscriptSpan? = nil) {
            self.text = text
            self.speaker = speaker
            self.times = times
        }
    }

    public var passages: [Passage]
    /// Whether the passages are cues, which subtitles keep.
    public var areCues: Bool

    public init(_ passages: [Passage], areCues: Bool = false) {
        self.passages = passages
        self.areCues = areCues
    }

    /// What a text is written as.
    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// A passage a line.
        case text
        /// A passage a paragraph, heading or item of a list, without the signs of the markup.
        case markdown
        /// SubRip or WebVTT.
        case subtitles
        /// A transcript with segments, or a list of words, as openai-whisper and others write them.
        case json
    }

    /// The most bytes of a text: more than any book has.
    package static let maxBytes = 16 << 20

    /// Reads a text.
    ///
    /// - Parameter format: `nil` recognizes subtitles by their times, and takes anything else for plain text.
    /// - Throws: if it is no text, or has no words.
    public init(_ bytes: [UInt8], format: Format? = nil) throws(AlignmentScriptError) {
        let text = try ScriptEncoding.text(of: bytes)
        switch format ?? (SubtitleScript.isRecognized(text) ? .subtitles : .text) {
        case .text: self.init(Self.lines(of: text).map { Passage($0) })
        case .markdown: self.init(MarkdownScript.passages(of: text).map { Passage($0) })
        case .subtitles:
            self.init(SubtitleScript.cues(of: text), areCues: true)
            if passages.isEmpty { throw .noCues }
        case .json: self.init(try JSONScript.passages(of: text))
        }
        let hasWords = passages.contains { $0.text.contains { $0.isLetter || $0.isNumber } }
        guard hasWords else { throw .noWords }
    }

    /// Reads a text from a file: Markdown (`.md`, `.markdown`), subtitles (`.srt`, `.vtt`), JSON (`.json`) or plain text.
    ///
    /// - Throws: if it cannot be read, is no text, or has no words.
    public init(contentsOf file: FilePath) throws(AlignmentScriptError) {
        switch FileSystem.contents(of: file, atMost: Self.maxBytes, allowingPipes: true) {
        case .success(let bytes): try self.init(bytes, format: Self.format(of: file))
        case .failure(.missing): throw .missing
        case .failure(.notPermitted): throw .notPermitted
        case .failure(.tooLarge): throw .tooLarge
        case .failure: throw .unreadable
        }
    }

    private static func format(of file: FilePath) -> Format? {
        switch file.lowercasedExtension {
        case "md", "markdown": .markdown
        case "srt", "vtt": .subtitles
        case "json": .json
        default: nil
        }
    }

    static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { WhiteSpace.strip($0) }.filter { !$0.isEmpty }
    }
}

/// Why a text cannot be aligned with any recording.
public enum AlignmentScriptError: Error, Hashable, Sendable {
    case missing
    case notPermitted
    case unreadable
    case tooLarge
    /// - Parameter byte: the offset of the first byte that is not UTF-8, or is 0.
    case notText(byte: Int)
    /// Subtitles without a single time.
    case noCues
    case badJSON(byte: Int, what: String)
    /// JSON that is neither a transcript nor a list of words.
    case noTranscript
    case noWords
}
