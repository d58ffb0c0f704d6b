import EngineBasics

/// Divides a transcript into subtitle cues: in openai-whisper's style like its writers, else like `ReadableCues`.
///
/// In openai-whisper's style, a transcript with words is divided between words; one without has a cue per segment. There are three intentional
/// differences. Word times are used if any segment has them (openai-whisper only checks the first segment). What Whisper
/// times as several words but writes without a blank, such as `well-known` and `5,50`, is never divided. And
/// WebVTT's text is escaped, because players would take `<` and `&` for markup.
package struct SubtitleShaper: Sendable {
    package let options: SubtitleOptions
    /// How a format marks up its text.
    package enum Markup: Sendable {
        /// Tags only for what is underlined; speakers are named in brackets.
        case srt
        /// Escaped text; speakers are named by voice tags.
        case webVTT
        /// As in srt, but with overrides in braces.
        case ass
    }

    private let markup: Markup

    package init(options: SubtitleOptions = SubtitleOptions(), markup: Markup = .srt) {
        self.options = options
        self.markup = markup
    }

    /// Returns the cues in the order of the segments; those of several speakers, who may talk at the same time, in order of
    /// their start. None has an empty line, which would end it.
    package func cues(of transcript: Transcript) -> [SubtitleCue] {
        let isReadable = options.chosenStyle != .whisper
        let cues = (isReadable ? readableCues(of: transcript) : allCues(of: transcript)).map { cue in
            SubtitleCue(
                start: cue.start, end: cue.end, text: OutputText.withoutEmptyLines(cue.text), speaker: cue.speaker)
        }
        return transcript.hasSpeakers && !isReadable ? cues.sorted { $0.start < $1.start } : cues
    }

    private func allCues(of transcript: Transcript) -> [SubtitleCue] {
        guard transcript.segments.contains(where: { $0.words != nil }) else {
            return transcript.segments.map { segment in
                let text = label(segment) + shown(OutputText.withoutArrows(WhiteSpace.strip(segment.text)))
                return SubtitleCue(
                    start: Timestamp(seconds: segment.start), end: Timestamp(seconds: segment.end), text: text,
                    speaker: segment.speaker)
            }
        }
        return wordCues(of: transcript).flatMap { options.highlightWords ? highlighted($0) : [plain($0)] }
    }

    private func label(_ segment: TranscriptSegment) -> String { label(segment.speaker) }

    private func label(_ speaker: String?) -> String {
        switch markup {
        case .srt: OutputText.withoutArrows(SpeakerLabel.prefix(speaker))
        case .webVTT: OutputText.withoutArrows(SpeakerLabel.voiceTag(speaker))
        case .ass: OutputText.ass(SpeakerLabel.prefix(speaker))
        }
    }

    private func shown(_ text: String) -> String {
        switch markup {
        case .srt: text
        case .webVTT: OutputText.webVTT(text)
        case .ass: OutputText.ass(text)
        }
    }

    /// Returns the words of each cue, including line breaks before words. A new speaker starts a new cue.
    private func wordCues(of transcript: Transcript) -> [Cue] {
        let width = limit(options.maxLineWidth) ?? 1000
        let lineLimit = limit(options.maxLineCount)
        let wordLimit = limit(options.maxWordsPerLine) ?? 1000
        let keepsSegments = limit(options.maxLineWidth) == nil || lineLimit == nil
        let segments = transcript.segments.map { (label: label($0), speaker: $0.speaker, words: words(of: $0)) }

        var cues: [Cue] = []
        var cue = Cue()
        var length = 0
        var lines = 1
        var last = segments.lazy.flatMap(\.words).first?.start ?? 0
        for segment in segments {
            if segment.label != cue.label, !segment.words.isEmpty {
                if !cue.parts.isEmpty { cues.append(cue) }
                (cue, length, lines, last) = (
                    Cue(label: segment.label, speaker: segment.speaker), 0, 1, segment.words[0].start
                )
            }
            // Voice tags are not shown.
            let labelWidth = markup == .webVTT ? 0 : segment.label.unicodeScalars.count
            var before = -1
            for word in segment.words {
                if options.clipStarts.contains(where: { last < $0 && $0 <= word.start }), !cue.parts.isEmpty {
                    cues.append(cue)
                    (cue, length, lines) = (Cue(label: segment.label, speaker: segment.speaker), 0, 1)
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
            text: cue.label + cue.parts.map { shown($0.text) }.joined(), speaker: cue.speaker)
    }

    /// Returns a cue per word with that word underlined, and plain cues for the pauses between them.
    private func highlighted(_ cue: Cue) -> [SubtitleCue] {
        let whole = plain(cue)
        var cues: [SubtitleCue] = []
        var last = whole.start
        for (index, word) in cue.parts.enumerated() {
            let start = Timestamp(seconds: word.start)
            let end = Timestamp(seconds: word.end)
            if last != start {
                cues.append(SubtitleCue(start: last, end: start, text: whole.text, speaker: cue.speaker))
            }
            let texts = cue.parts.enumerated().map { $0 == index ? underlined(shown($1.text)) : shown($1.text) }
            cues.append(SubtitleCue(start: start, end: end, text: cue.label + texts.joined(), speaker: cue.speaker))
            last = end
        }
        return cues
    }

    /// Python's `re.sub(r"^(\s*)(.*)$", r"\1<u>\2</u>", text)`: underlines the text after leading white space and
    /// before a final newline; a text with a newline inside is unchanged.
    private func underlined(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !WhiteSpace.contains($0) } ?? scalars.endIndex
        let end = scalars[start...].firstIndex(of: "\n") ?? scalars.endIndex
        guard end == scalars.endIndex || scalars.index(after: end) == scalars.endIndex else { return text }
        let tags = markup == .ass ? (#"{\u1}"#, #"{\u0}"#) : ("<u>", "</u>")
        return String(scalars[..<start]) + tags.0 + String(scalars[start..<end]) + tags.1 + String(scalars[end...])
    }
}

// MARK: - Readable cues

extension SubtitleShaper {
    private func readableCues(of transcript: Transcript) -> [SubtitleCue] {
        // Voice tags are not shown.
        let cues = ReadableCues(options).cues(of: transcript) {
            markup == .webVTT ? 0 : DisplayWidth.columns(of: SpeakerLabel.prefix($0))
        }
        return cues.flatMap { options.highlightWords ? highlighted($0) : [cue($0)] }
    }

    /// - Parameters:
    ///   - underlined: a part, counted over all lines.
    ///   - start: `nil` is that of the cue.
    private func cue(
        _ cue: ReadableCue, underlined: Int? = nil, from start: Double? = nil, to end: Double? = nil
    ) -> SubtitleCue {
        var part = 0
        let lines = cue.lines.map { line in
            line.map { item in
                defer { part += 1 }
                let text = shown(OutputText.withoutArrows(item.text))
                return part == underlined ? self.underlined(text) : text
            }.joined()
        }
        return SubtitleCue(
            start: Timestamp(seconds: start ?? cue.start), end: Timestamp(seconds: end ?? cue.end),
            text: label(cue.speaker) + lines.joined(separator: "\n"), speaker: cue.speaker)
    }

    /// Returns a cue per word with that word underlined until the next one begins, or plain where there is a pause.
    private func highlighted(_ cue: ReadableCue) -> [SubtitleCue] {
        let parts = cue.lines.flatMap(\.self)
        var cues: [SubtitleCue] = []
        var last = cue.start
        func add(_ underlined: Int?, to end: Double) {
            let end = min(end, cue.end)
            guard Timestamp(seconds: end) > Timestamp(seconds: last) else { return }
            cues.append(self.cue(cue, underlined: underlined, from: last, to: end))
            last = end
        }
        for (index, part) in parts.enumerated() {
            if part.start - last > Self.noticeable { add(nil, to: part.start) }
            let next = index + 1 < parts.count ? parts[index + 1].start : cue.end
            add(index, to: next - part.end > Self.noticeable ? part.end : next)
        }
        add(nil, to: cue.end)
        return cues.isEmpty ? [self.cue(cue)] : cues
    }

    /// Pauses up to two frames, in seconds, do not interrupt the underlining.
    private static let noticeable = 0.084
}

// MARK: - Words

extension SubtitleShaper {
    private struct Cue {
        /// Names the speaker; empty without one.
        var label = ""
        var speaker: String?
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
