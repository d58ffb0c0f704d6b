import EngineBasics
import EngineTranscripts

/// The cues of SubRip and WebVTT files. Whatever is not a cue is skipped, as players do.
enum SubtitleScript {
    private static let arrow = "-->"

    /// Whether a text is a WebVTT file or has a line with the times of a cue.
    static func isRecognized(_ text: String) -> Bool {
        text.hasPrefix("WEBVTT") || text.split(whereSeparator: \.isNewline).contains { times(in: $0) != nil }
    }

    static func cues(of text: String) -> [AlignmentScript.Passage] {
        let isVTT = text.hasPrefix("WEBVTT")
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var cues: [AlignmentScript.Passage] = []
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            guard let times = times(in: lines[index]) else { continue }
            var shown: [String] = []
            var speaker: String?
            while index + 1 < lines.count, !WhiteSpace.strip(lines[index + 1]).isEmpty,
                self.times(in: lines[index + 1]) == nil
            {
                index += 1
                // The number of the next cue, if no empty line precedes it.
                if index + 1 < lines.count, lines[index].allSatisfy(\.isNumber), self.times(in: lines[index + 1]) != nil
                {
                    break
                }
                let (line, voice) = plain(lines[index], isVTT: isVTT)
                speaker = speaker ?? voice
                if !line.isEmpty { shown.append(line) }
            }
            if !shown.isEmpty {
                cues.append(
                    AlignmentScript.Passage(shown.joined(separator: "\n"), speaker: speaker, times: times))
            }
        }
        return cues
    }

    /// `00:01:02,345 --> 00:01:04,000`, with a point or without hours in WebVTT, and perhaps settings after it.
    private static func times(in line: Substring) -> TranscriptSpan? {
        guard let place = line.firstRange(of: arrow), let start = seconds(line[..<place.lowerBound]),
            let last = line[place.upperBound...].split(whereSeparator: \.isWhitespace).first, let end = seconds(last)
        else { return nil }
        return TranscriptSpan(start: start, end: end)
    }

    private static func seconds(_ text: Substring) -> Double? {
        let fields = WhiteSpace.strip(text).split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(fields.count) else { return nil }
        var sum = 0.0
        for (index, field) in fields.enumerated() {
            let isLast = index == fields.count - 1
            let digits = field.utf8.filter { (0x30...0x39).contains($0) }.count
            guard digits > 0, field.utf8.count == digits || isLast && field.utf8.count == digits + 1,
                let value = Double(field.replacing(",", with: "."))
            else { return nil }
            sum = sum * 60 + value
        }
        return sum
    }

    /// The text of a line without tags and overrides, and the name in a voice tag.
    private static func plain(_ line: Substring, isVTT: Bool) -> (text: String, voice: String?) {
        var text = "", tag: String?, voice: String?
        for character in line {
            switch (character, tag) {
            case ("<", nil), ("{", nil): tag = String(character)
            case (">", let open?) where open.hasPrefix("<"),
                ("}", let open?) where open.hasPrefix("{"):
                if !isTag(open) { text += open + String(character) }
                if isVTT, open.hasPrefix("<v ") || open.hasPrefix("<v.") {
                    voice = open.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
                }
                tag = nil
            case (_, _?): tag?.append(character)
            default: text.append(character)
            }
        }
        text += tag ?? ""
        return (WhiteSpace.strip(isVTT ? unescaped(text) : text), voice)
    }

    /// Whether what stands between two angles or braces is markup: `<i>`, `</b>`, `<00:01.000>`, `{\an8}`.
    private static func isTag(_ open: String) -> Bool {
        let first = open.dropFirst().first
        if open.hasPrefix("{") { return first == "\\" }
        return first.map { $0.isLetter || $0 == "/" || $0.isNumber } ?? true
    }

    private static func unescaped(_ text: String) -> String {
        var text = text
        for (entity, sign) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{a0}"), ("&lrm;", "\u{200e}"), ("&rlm;", "\u{200f}"),
            ("&amp;", "&"),
        ] { text = text.replacing(entity, with: sign) }
        return text
    }
}
