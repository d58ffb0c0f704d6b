import WhisperEngine

/// Text that may be written to a terminal: control sequences come only from this program's own literals. Interpolated
/// values are made safe, because text from a model, a file or a device may contain sequences that control the terminal.
package struct TerminalText: Sendable, Equatable {
    /// The text for a terminal.
    package private(set) var safe = ""
    /// The text as it is, for a file or a pipe.
    package private(set) var original = ""

    /// Makes a text safe.
    package init(_ text: some StringProtocol) {
        original = String(text)
        safe = Self.safe(original, except: ["\t", "\n"])
    }

    /// Makes a text safe that is only part of a line.
    package init(line text: some StringProtocol) {
        original = String(text)
        safe = Self.safe(original, except: ["\t"])
    }

    /// Makes a name safe: characters that show nothing are spelled out, too (`<U+200F>`).
    package init(name: some StringProtocol) {
        original = String(name)
        safe = name.unicodeScalars.reduce(into: "") { $0 += $1.isInvisible ? Self.spelled($1) : String($1) }
    }

    package var isEmpty: Bool { original.isEmpty }

    package static func + (first: TerminalText, second: TerminalText) -> TerminalText {
        var sum = first
        sum += second
        return sum
    }

    package static func += (sum: inout TerminalText, text: TerminalText) {
        sum.safe += text.safe
        sum.original += text.original
    }

    /// Replaces control characters and line and paragraph separators, and spells out the bidirectional controls, which
    /// reorder the text around them: `<U+202E>`. Marks of the writing direction, which belong to texts in Arabic and Hebrew,
    /// stay, but the line of text is isolated from what is around it.
    ///
    /// - Parameters:
    ///   - replacement: U+FFFD unless the width on the terminal must be one column.
    ///   - kept: characters that stay.
    static func safe(
        _ text: some StringProtocol, replacement: Unicode.Scalar = "\u{fffd}", except kept: Set<Unicode.Scalar> = []
    ) -> String {
        var result = String.UnicodeScalarView()
        var start = result.startIndex
        var hasMarks = false
        func isolate() {
            guard hasMarks else { return }
            result.insert(firstStrongIsolate, at: start)
            result.append(popDirectionalIsolate)
            hasMarks = false
        }
        for scalar in text.replacingControlCharacters(with: replacement, except: kept).unicodeScalars {
            switch scalar.value {
            case 0x202a...0x202e, 0x2066...0x2069: result.append(contentsOf: spelled(scalar).unicodeScalars)
            case 0xa:
                isolate()
                result.append(scalar)
                start = result.endIndex
            default:
                if marks.contains(scalar) { hasMarks = true }
                result.append(scalar)
            }
        }
        isolate()
        return String(result)
    }

    /// Arabic letter mark, left-to-right mark and right-to-left mark.
    private static let marks: Set<Unicode.Scalar> = ["\u{61c}", "\u{200e}", "\u{200f}"]
    private static let firstStrongIsolate: Unicode.Scalar = "\u{2068}"
    private static let popDirectionalIsolate: Unicode.Scalar = "\u{2069}"

    private static func spelled(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }
}

extension TerminalText: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = TerminalText("")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += TerminalText(stringLiteral: literal) }
        package mutating func appendInterpolation(_ part: TerminalText) { text += part }
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += TerminalText(value.description)
        }
    }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

    /// Only for literals, as the compiler does.
    package init(stringLiteral literal: String) { (safe, original) = (literal, literal) }
}
