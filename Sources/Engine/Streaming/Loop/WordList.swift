/// Words as the journal keeps them: a JSON array of objects `{"word", "start", "end", "probability"}`.
enum WordList {
    static func text(of words: [TranscriptWord]) -> String {
        let objects = words.map { word in
            "{\"word\":\(quoted(word.word)),\"start\":\(number(word.start)),\"end\":\(number(word.end)),"
                + "\"probability\":\(number(word.probability))}"
        }
        return "[" + objects.joined(separator: ",") + "]"
    }

    /// `nil` where the text is not such an array, whatever has happened to it, or where it is empty.
    static func words(in text: String) -> [TranscriptWord]? {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let words = reader.array(), !words.isEmpty else { return nil }
        return words
    }

    /// JSON knows no numbers that are not finite.
    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<"\u{20}", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Each call takes what it reads from the front of `rest`; `nil` where something else stands there.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func array() -> [TranscriptWord]? {
            guard take("[") else { return nil }
            var words: [TranscriptWord] = []
            if take("]") { return rest.isEmpty ? words : nil }
            repeat {
                guard let word = word() else { return nil }
                words.append(word)
            } while take(",")
            return take("]") && rest.isEmpty ? words : nil
        }

        private mutating func word() -> TranscriptWord? {
            guard take("{"), key("word"), let text = string(), take(","), key("start"), let start = number(),
                take(","), key("end"), let end = number(), take(","), key("probability"),
                let probability = number(), take("}")
            else { return nil }
            return TranscriptWord(word: text, start: start, end: end, probability: probability)
        }

        private mutating func key(_ name: String) -> Bool { string() == name && take(":") }

        private mutating func take(_ mark: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard let first = rest.first, UInt32(first) == mark.value else { return false }
            rest.removeFirst()
            skipBlanks()
            return true
        }

        private mutating func skipBlanks() { rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

        private mutating func number() -> Double? {
            let characters = rest.prefix { byte in
                (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) || (0x61...0x7a).contains(byte)
            }
            rest = rest.dropFirst(characters.count)
            let text = String(decoding: characters, as: UTF8.self)
            if text == "null" { return .nan }
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }

        private mutating func string() -> String? {
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            rest.removeFirst()
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    bytes += Array(String(scalar).utf8)
                default: bytes.append(byte)
                }
            }
            return nil
        }

        /// The escapes that `quoted` writes.
        private mutating func escape() -> Unicode.Scalar? {
            switch rest.popFirst() {
            case UInt8(ascii: "\""): return "\""
            case UInt8(ascii: "\\"): return "\\"
            case UInt8(ascii: "u"):
                let digits = rest.prefix(4)
                rest = rest.dropFirst(4)
                guard digits.count == 4, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                return Unicode.Scalar(value)
            default: return nil
            }
        }
    }
}
