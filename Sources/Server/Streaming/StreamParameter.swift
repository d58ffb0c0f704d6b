import WhisperEngine

/// A parameter of a session: from the query, where its value is a string, or from a message.
///
/// Errors are `StreamEnd.invalidParameter`.
struct StreamParameter {
    let name: String
    let value: JSONValue

    /// Any letter case, because Python writes `True`.
    func bool() throws(StreamEnd) -> Bool {
        if case .bool(let value) = value { return value }
        switch value.string?.lowercased() {
        case "true", "1", "yes": return true
        case "false", "0", "no", "": return false
        default: throw invalid("true or false")
        }
    }

    func integer(_ range: ClosedRange<Int>) throws(StreamEnd) -> Int {
        guard let number, let integer = Int(exactly: number), range.contains(integer) else {
            throw invalid("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Milliseconds, moved into a range; negative ones are an error.
    func milliseconds(clampedTo range: ClosedRange<Int>) throws(StreamEnd) -> Int {
        min(max(try integer(0...3_600_000), range.lowerBound), range.upperBound)
    }

    func fraction() throws(StreamEnd) -> Double {
        guard let number, (0...1).contains(number) else { throw invalid("a number from 0 to 1") }
        return number
    }

    func string() throws(StreamEnd) -> String {
        guard let string = value.string else { throw invalid("a string") }
        return string
    }

    /// A list of strings; in a query it is written as JSON.
    func strings() throws(StreamEnd) -> [String] {
        var list = value
        if let text = value.string {
            if text.isEmpty { return [] }
            list = (try? JSONValue(Array(text.utf8), depth: 2, members: 1000)) ?? .null
        }
        guard case .array(let elements) = list else { throw invalid("a JSON list of strings") }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else { throw invalid("a JSON list of strings") }
            if !string.isEmpty { strings.append(string) }
        }
        return strings
    }

    /// The codes of languages, each given as a code, a locale or an English name. `multi` and `auto` stand for any.
    func languages(_ names: [String]) throws(StreamEnd) -> [String] {
        var codes: [String] = []
        for name in names {
            if ["multi", "auto", ""].contains(name.lowercased()) { return [] }
            guard let language = try? Language(name) else { throw invalid("the code of a language, such as en") }
            if !codes.contains(language.code) { codes.append(language.code) }
        }
        return codes
    }

    func invalid(_ rule: String) -> StreamEnd { .invalidParameter(name: name, rule: rule) }

    private var number: Double? {
        switch value {
        case .number(let text), .string(let text): Double(text)
        default: nil
        }
    }
}
