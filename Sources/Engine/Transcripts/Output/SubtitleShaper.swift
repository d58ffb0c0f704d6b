import EngineBasics

/// How subtitles are divided into cues and lines; requires word times. Names and meanings are openai-whisper's.
public struct SubtitleOptions: Hashable, Sendable {
    /// Maximum number of code points per line; a longer word is not split. `nil` or 0 for 1000.
    public var maxLineWidth: Int?
    /// Maximum number of lines per cue; `nil` or 0 for no limit. Together with a width, cues continue across segments.
    public var maxLineCount: Int?
    /// Maximum number of words per cue, unless both width and count are set; `nil` or 0 for 1000.
    public var maxWordsPerLine: Int?
    /// Whether each word is underlined while it is spoken, in a separate cue.
    public var highlightWords: Bool
    /// Times in seconds at which a new cue starts, even if the lines have room: the starts of the clips. Not in
    /// openai-whisper, whose cues continue into the next clip.
    public var clipStarts: [Double] = []

    public init(
        maxLineWidth: Int? = nil, maxLineCount: Int? = nil, maxWordsPerLine: Int? = nil, highlightWords: Bool = false
    ) {
        self.maxLineWidth = maxLineWidth
        self.maxLineCount = maxLineCount
        self.maxWordsPerLine = maxWordsPerLine
        self.highlightWords = highlightWords
    }
}

/// A text on the screen and its times.
package struct SubtitleCue: Hashable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    package var text: String

    package init(start: Timestamp, end: Timestamp, text: String) {
        self.start = start
        self.end = end
        self.text = text
    }
}

/// Divides a transcript into subtitle cues like openai-whisper's writers.
///
/// A transcript with words is divided between words; one without has a cue per segment. There are three intentional
/// differences. Word times are used if any segment has them (openai-whisper only checks the first segment). What Whisper
/// times as several words but writes without a blank, such as `well-known` and `5,50`, is never divided. And
/// WebVTT's text is escaped, because players would take `<` and `&` for markup.
package struct SubtitleShaper: Sendable {
    package let options: SubtitleOptions
    /// Whether the text is escaped for WebVTT, and speakers are named by its voice tags instead of in brackets.
    private let isWebVTT: Bool

    package init(options: SubtitleOptions = SubtitleOptions(), isWebVTT: Bool = false) {
        self.options = options
        self.isWebVTT = isWebVTT
    }

    /// Returns the cues in the order of the segments; those of several speakers, who may talk at the same time, in order of
    /// their start. None has an empty line, which would end it.
    package func cues(of transcript: Transcript) -> [SubtitleCue] {
        let cues = allCues(of: transcript).map { cue in
            SubtitleCue(start: cue.start, end: cue.end, text: OutputText.withoutEmptyLines(cue.text))
        }
        return transcript.hasSpeakers ? cues.sorted { $0.start < $1.start } : cues
    }

    private func allCues(of transcript: Transcript) -> [SubtitleCue] {
        guard transcript.segments.contains(where: { $0.words != nil }) else {
            return transcript.segments.map { segment in
                let text = label(segment) + shown(OutputText.withoutArrows(WhiteSpace.strip(segment.text)))
                return SubtitleCue(
                    start: Timestamp(seconds: segment.start), end: Timestamp(seconds: segment.end), text: text)
            }
        }
        return wordCues(of: transcript).flatMap { options.highlightWords ? highlighted($0) : [plain($0)] }
    }

    private func label(_ segment: TranscriptSegment) -> String {
        OutputText.withoutArrows(isWebVTT ? SpeakerLabel.voiceTag(segment) : SpeakerLabel.prefix(segment))
    }

    private func shown(_ text: String) -> String { isWebVTT ? OutputText.webVTT(text) : text }

    /// Returns the words of each cue, including line breaks before words. A new speaker starts a new cue.
    private func wordCues(of transcript: Transcript) -> [Cue] {
        let width = limit(options.maxLineWidth) ?? 1000
        let lineLimit = limit(options.maxLineCount)
        let wordLimit = limit(options.maxWordsPerLine) ?? 1000
        let keepsSegments = limit(options.maxLineWidth) == nil || lineLimit == nil
        let segments = transcript.segments.map { (label: label($0), words: words(of: $0)) }

        var cues: [Cue] = []
        var cue = Cue()
        var length = 0
        var lines = 1
        var last = segments.lazy.flatMap(\.words).first?.start ?? 0
        for segment in segments {
            if segment.label != cue.label, !segment.words.isEmpty {
                if !cue.parts.isEmpty { cues.append(cue) }
                (cue, length, lines, last) = (Cue(label: segment.label), 0, 1, segment.words[0].start)
            }
            // Voice tags are not shown.
            let labelWidth = isWebVTT ? 0 : segment.label.unicodeScalars.count
            var before = -1
            for word in segment.words {
                if options.clipStarts.contains(where: { last < $0 && $0 <= word.start }), !cue.parts.isEmpty {
                    cues.append(cue)
                    (cue, length, lines) = (Cue(label: segment.label), 0, 1)
                }
                let count = Self.width(of: word.parts)
                let pausesLong = !keepsSegments && word.start - last > 3
                let isNext = word.index == 0 || word.index / wordLimit > before / wordLimit
                let breaksSegment = isNext && !cue.parts.isEmpty && keepsSegments
                before = word.index
                var parts = word.parts
                if length > 0, length + count <= width, !pausesLong, !breaksSegment {
                    length += count
                } else {
                    parts[0].text = WhiteSpace.strip(parts[0].text)
                    let isFull = lineLimit.map { !cue.parts.isEmpty && (pausesLong || lines >= $0) } ?? false
                    let bare = Self.width(of: parts)
                    if isFull || breaksSegment {
                        cues.append(cue)
                        cue.parts = []
                        lines = 1
                    } else if length > 0 {
                        lines += 1
                        parts[0].text = "\n" + parts[0].text
                    }
                    length = bare + (cue.parts.isEmpty ? labelWidth : 0)
                }
                cue.parts += parts
                last = word.start
            }
        }
        return cue.parts.isEmpty ? cues : cues + [cue]
    }

    private func limit(_ option: Int?) -> Int? {
        option.flatMap { $0 > 0 ? $0 : nil }
    }

    private func plain(_ cue: Cue) -> SubtitleCue {
        SubtitleCue(
            start: Timestamp(seconds: cue.parts.first?.start ?? 0), end: Timestamp(seconds: cue.parts.last?.end ?? 0),
            text: cue.label + cue.parts.map { shown($0.text) }.joined())
    }

    /// Returns a cue per word with that word underlined, and plain cues for the pauses between them.
    private func highlighted(_ cue: Cue) -> [SubtitleCue] {
        let whole = plain(cue)
        var cues: [SubtitleCue] = []
        var last = whole.start
        for (index, word) in cue.parts.enumerated() {
            let start = Timestamp(seconds: word.start)
            let end = Timestamp(seconds: word.end)
            if last != start { cues.append(SubtitleCue(start: last, end: start, text: whole.text)) }
            let texts = cue.parts.enumerated().map { $0 == index ? Self.underlined(shown($1.text)) : shown($1.text) }
            cues.append(SubtitleCue(start: start, end: end, text: cue.label + texts.joined()))
            last = end
        }
        return cues
    }

    /// Python's `re.sub(r"^(\s*)(.*)$", r"\1<u>\2</u>", text)`: underlines the text after leading white space and
    /// before a final newline; a text with a newline inside is unchanged.
    private static func underlined(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !WhiteSpace.contains($0) } ?? scalars.endIndex
        let end = scalars[start...].firstIndex(of: "\n") ?? scalars.endIndex
        guard end == scalars.endIndex || scalars.index(after: end) == scalars.endIndex else { return text }
        return String(scalars[..<start]) + "<u>" + String(scalars[start..<end]) + "</u>" + String(scalars[end...])
    }
}

// MARK: - Words

extension SubtitleShaper {
    private struct Cue {
        /// Names the speaker; empty without one.
        var label = ""
        var parts: [TimedText] = []
    }

    private struct TimedText {
        var text: String
        var start: Double
        var end: Double
    }

    /// What stands between two blanks; Whisper may time it in several parts.
    private struct Word {
        /// Number of parts of the segment before this word.
        let index: Int
        var parts: [TimedText]

        var start: Double { parts[0].start }

        /// Adds a part, or lengthens the last one if it ends inside a character.
        mutating func append(_ part: TimedText) {
            let last = parts.count - 1
            if WordBoundary.isInsideCharacter(parts[last].text, part.text) {
                parts[last].text += part.text
                parts[last].end = part.end
            } else {
                parts.append(part)
            }
        }
    }

    private static func width(of parts: [TimedText]) -> Int { parts.reduce(0) { $0 + $1.text.unicodeScalars.count } }

    /// Returns the words of a segment. A segment without word times counts as one word, so that no text is lost.
    private func words(of segment: TranscriptSegment) -> [Word] {
        guard let words = segment.words else {
            if WhiteSpace.strip(segment.text).isEmpty { return [] }
            return [Word(index: 0, parts: [TimedText(text: segment.text, start: segment.start, end: segment.end)])]
        }
        var found: [Word] = []
        for (index, word) in words.enumerated() {
            let part = TimedText(text: word.word, start: word.start, end: word.end)
            if let last = found.last?.parts.last, !WordBoundary.isBetween(last.text, word.word) {
                found[found.count - 1].append(part)
            } else {
                found.append(Word(index: index, parts: [part]))
            }
        }
        return found
    }
}
