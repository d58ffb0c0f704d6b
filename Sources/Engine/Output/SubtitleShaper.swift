/// Cuts a transcript into subtitle cues, as openai-whisper's writers do.
///
/// A transcript with words gives cues from its first to its last word; one without gives a cue a segment. Two things
/// differ on purpose. Words count as asked for when any segment has them (openai-whisper looks at the first segment
/// alone). And what would be cut inside a character, because a word begins with a combining mark or with the second half
/// of a flag, stays together: the parts become one word.
public struct SubtitleShaper: Sendable {
    public let options: SubtitleOptions

    public init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    public func cues(of transcript: Transcript) -> [SubtitleCue] {
        guard transcript.segments.contains(where: { $0.words != nil }) else {
            return transcript.segments.map { segment in
                let text = OutputText.replacing("-->", with: "->", in: WhiteSpace.strip(segment.text))
                return SubtitleCue(
                    start: Timestamp(seconds: segment.start), end: Timestamp(seconds: segment.end), text: text)
            }
        }
        return wordCues(of: transcript).flatMap { options.highlightWords ? highlighted($0) : [plain($0)] }
    }

    /// Cues as their words, each with the line break that goes before it.
    private func wordCues(of transcript: Transcript) -> [[TimedText]] {
        let width = limit(options.maxLineWidth) ?? 1000
        let lineLimit = limit(options.maxLineCount)
        let wordLimit = limit(options.maxWordsPerLine) ?? 1000
        let keepsSegments = limit(options.maxLineWidth) == nil || lineLimit == nil
        let segments = transcript.segments.map(words)

        var cues: [[TimedText]] = []
        var cue: [TimedText] = []
        var length = 0
        var lines = 1
        var last = segments.lazy.joined().first?.start ?? 0
        for segment in segments {
            for (index, original) in segment.enumerated() {
                var word = original
                let count = word.text.unicodeScalars.count
                let pausesLong = !keepsSegments && word.start - last > 3
                let breaksSegment = index % wordLimit == 0 && !cue.isEmpty && keepsSegments
                if length > 0, length + count <= width, !pausesLong, !breaksSegment {
                    length += count
                } else {
                    word.text = WhiteSpace.strip(word.text)
                    let isFull = lineLimit.map { !cue.isEmpty && (pausesLong || lines >= $0) } ?? false
                    let bare = word.text.unicodeScalars.count
                    if isFull || breaksSegment {
                        cues.append(cue)
                        cue = []
                        lines = 1
                    } else if length > 0 {
                        lines += 1
                        word.text = "\n" + word.text
                    }
                    length = bare
                }
                cue.append(word)
                last = word.start
            }
        }
        return cue.isEmpty ? cues : cues + [cue]
    }

    private func limit(_ option: Int?) -> Int? {
        option.flatMap { $0 > 0 ? $0 : nil }
    }

    private func plain(_ cue: [TimedText]) -> SubtitleCue {
        SubtitleCue(
            start: Timestamp(seconds: cue.first?.start ?? 0), end: Timestamp(seconds: cue.last?.end ?? 0),
            text: cue.map(\.text).joined())
    }

    /// A cue a word with that word underlined, and plain cues for the pauses between.
    private func highlighted(_ cue: [TimedText]) -> [SubtitleCue] {
        let whole = plain(cue)
        var cues: [SubtitleCue] = []
        var last = whole.start
        for (index, word) in cue.enumerated() {
            let start = Timestamp(seconds: word.start)
            let end = Timestamp(seconds: word.end)
            if last != start { cues.append(SubtitleCue(start: last, end: start, text: whole.text)) }
            let texts = cue.enumerated().map { $0 == index ? Self.underlined($1.text) : $1.text }
            cues.append(SubtitleCue(start: start, end: end, text: texts.joined()))
            last = end
        }
        return cues
    }

    /// `re.sub(r"^(\s*)(.*)$", r"\1<u>\2</u>", text)`: the text behind its leading white space; a final newline stays
    /// outside, a text with a newline inside stays as it is.
    static func underlined(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !WhiteSpace.contains($0) } ?? scalars.endIndex
        let end = scalars[start...].firstIndex(of: "\n") ?? scalars.endIndex
        guard end == scalars.endIndex || scalars.index(after: end) == scalars.endIndex else { return text }
        return String(scalars[..<start]) + "<u>" + String(scalars[start..<end]) + "</u>" + String(scalars[end...])
    }
}

// MARK: - Words

extension SubtitleShaper {
    private struct TimedText {
        var text: String
        var start: Double
        var end: Double
    }

    /// A segment's words, cut between characters only. A segment that was left without word times among others that
    /// have them counts as one word, so that no text is lost.
    private func words(of segment: TranscriptSegment) -> [TimedText] {
        guard let words = segment.words else {
            if WhiteSpace.strip(segment.text).isEmpty { return [] }
            return [TimedText(text: segment.text, start: segment.start, end: segment.end)]
        }
        var merged: [TimedText] = []
        for word in words {
            if let last = merged.last, Self.sharesCharacter(last.text, word.word) {
                merged[merged.count - 1].text += word.word
                merged[merged.count - 1].end = word.end
            } else {
                merged.append(TimedText(text: word.word, start: word.start, end: word.end))
            }
        }
        return merged
    }

    /// Whether the end of one text and the start of the next make one character.
    private static func sharesCharacter(_ left: String, _ right: String) -> Bool {
        guard let last = left.last, let first = right.first else { return false }
        return (String(last) + String(first)).count < 2
    }
}
