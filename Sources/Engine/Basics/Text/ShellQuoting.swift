/// Quotes untrusted names for messages, so that they can be pasted into a shell and cannot control the terminal.
package enum ShellQuoting {
    /// Returns `plain-name.wav` unquoted, `'two words.wav'` in quotes, and `$'tab\there\xff'` if a byte or a character is not
    /// printable or invisible.
    package static func quoted(_ bytes: some Collection<UInt8>) -> String {
        guard !bytes.isEmpty else { return "''" }
        let pieces = escapedPieces(Array(bytes))
        if pieces.contains(where: \.isEscaped) {
            let body = pieces.map { $0.text == "'" ? "\\'" : $0.isEscaped || $0.text != "\\" ? $0.text : "\\\\" }
            return "$'" + body.joined() + "'"
        }
        let text = pieces.map(\.text).joined()
        if text.unicodeScalars.allSatisfy(isPlain) { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    package static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

    /// Quotes a name from inside a file, of which at most `limit` characters are shown.
    package static func shown(_ name: String, limit: Int = 100) -> String {
        let start = name.unicodeScalars.prefix(limit)
        if start.endIndex == name.endIndex { return quoted(name) }
        return quoted(String(start) + "…")
    }

    /// `'name'`: quoted even where the shell would not require it, to set the user's text off from the message. Only the
    /// beginning of a long text is shown.
    package static func inQuotes(_ bytes: some Collection<UInt8>) -> String {
        let quoted = excerpt(bytes)
        return quoted.hasSuffix("'") ? quoted : "'\(quoted)'"
    }

    /// Quotes what the user has given, of which only the beginning is shown if it is long.
    package static func excerpt(_ bytes: some Collection<UInt8>) -> String {
        if bytes.count <= longestValue { return quoted(bytes) }
        // Not cut within a character.
        let start = Array(bytes.prefix(longestValue))
        let end = start.lastIndex { $0 & 0xc0 != 0x80 } ?? 0
        return quoted(start[..<end] + Array("…".utf8))
    }

    private static let longestValue = 300

    private struct Piece {
        let text: String
        let isEscaped: Bool
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "/", "+", ",", ":", "=", "@", "%": true
        default: scalar.value > 0x7f
        }
    }

    private static func escapedPieces(_ bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = bytes[...]
        while let first = rest.first {
            if let (scalar, length) = validScalar(at: rest) {
                pieces.append(
                    scalar.isInvisible
                        ? Piece(text: escape(scalar), isEscaped: true)
                        : Piece(text: String(scalar), isEscaped: false))
                rest = rest.dropFirst(length)
            } else {
                pieces.append(Piece(text: hexadecimal(first), isEscaped: true))
                rest = rest.dropFirst()
            }
        }
        return pieces
    }

    private static func validScalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return (scalar, UTF8.width(scalar))
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: String(scalar).utf8.map(hexadecimal).joined()
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String { "\\x" + Digits.hexadecimal(byte) }
}
