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
    /// reorder the text around them: `<U+202E>`.
    ///
    /// - Parameters:
    ///   - replacement: U+FFFD unless the width on the terminal must be one column.
    ///   - kept: characters that stay.
    static func safe(
        _ text: some StringProtocol, replacement: Unicode.Scalar = "\u{fffd}", except kept: Set<Unicode.Scalar> = []
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.replacingControlCharacters(with: replacement, except: kept).unicodeScalars {
            switch scalar.value {
            case 0x202a...0x202e, 0x2066...0x2069:
                result.append(contentsOf: "<U+\(String(scalar.value, radix: 16, uppercase: true))>".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
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
