/// Words as the journal stores them: a JSON array of objects `{"word", "start", "end", "probability"}`.
enum WordList {
    static func text(of words: [TranscriptWord]) -> String {
        JSONText.array(
            words.map { word in
                JSONText.object([
                    ("word", JSONText.string(word.word)), ("start", number(word.start)), ("end", number(word.end)),
                    ("probability", number(word.probability)),
                ])
            })
    }

    /// The words in `text`; `nil` if it holds none or is damaged in any way.
    static func words(in text: String) -> [TranscriptWord]? {
        let bytes = Array(text.utf8)
        guard let list = try? JSONValue(bytes, depth: 2, members: bytes.count), case .array(let elements) = list,
            !elements.isEmpty
        else { return nil }
        var words: [TranscriptWord] = []
        words.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element["word"]?.string, let start = number(element["start"]),
                let end = number(element["end"]), let probability = number(element["probability"])
            else { return nil }
            words.append(TranscriptWord(word: text, start: start, end: end, probability: probability))
        }
        return words
    }

    /// JSON has no numbers that are not finite.
    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .null?: .nan
        case .number(let text)?: Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}
