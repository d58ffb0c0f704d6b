import EngineBasics

/// Text operations that match Python's exactly.
package enum OutputText {
    /// Python's `str.replace()`: replaces non-overlapping occurrences from the left, comparing bytes. (Swift's comparison
    /// would miss a character followed by a combining accent.)
    static func replacing(_ old: StaticASCII, with new: StaticASCII, in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if bytes[position...].starts(with: old.bytes) {
                result += new.bytes
                position += old.bytes.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with `->` for each `-->`, which belongs to a cue's times.
    static func withoutArrows(_ text: String) -> String { replacing("-->", with: "->", in: text) }

    /// The text as a WebVTT file shows it, with entities for its markup.
    package static func webVTT(_ text: String) -> String {
        let text = replacing("&", with: "&amp;", in: text)
        return replacing(">", with: "&gt;", in: replacing("<", with: "&lt;", in: text))
    }

    /// The text as an ASS file shows it. A word joiner keeps a backslash from starting a command.
    static func ass(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "{", "}": result.append(contentsOf: ["\\", scalar])
            case "\\": result.append(contentsOf: [scalar, "\u{2060}"])
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The text as Markdown shows it, inside a line.
    static func markdown(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\`*_[]<>&~|$".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// The text of a cue without empty lines, which would end the cue. Like openai-whisper's, it may have several lines.
    static func withoutEmptyLines(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0 == "\r" ? " " : $0 }
        let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.indices.filter { $0 == lines.count - 1 || !lines[$0].allSatisfy(WhiteSpace.contains) }
        return String(String.UnicodeScalarView(shown.map { lines[$0] }.joined(separator: ["\n"])))
    }

    /// The text with line breaks replaced by spaces, for formats in which a line break ends a field, a line or a cue.
    package static func onOneLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Non-empty ASCII, so that a replacement keeps UTF-8 valid and always makes progress.
    struct StaticASCII: ExpressibleByStringLiteral {
        let bytes: [UInt8]

        init(stringLiteral value: String) {
            precondition(!value.isEmpty && value.utf8.allSatisfy { $0 < 0x80 }, "not ASCII: \(value)")
            bytes = Array(value.utf8)
        }
    }
}
