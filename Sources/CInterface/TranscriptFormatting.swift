import EngineBasics
import EngineTranscripts

/// Writes transcripts that callers have put together from events.
enum TranscriptFormatting {
    /// - Parameters:
    ///   - transcript: a JSON object.
    ///   - format: the name of an `OutputFormat`.
    /// - Throws: `InterfaceError`.
    static func text(of transcript: [UInt8], as format: String, options text: [UInt8]?) throws(InterfaceError) -> String
    {
        guard let format = OutputFormat(rawValue: format) else {
            let names = OutputFormat.allCases.map(\.rawValue)
            let nearest = Suggestion.nearest(to: format, among: names)
            throw InterfaceError(
                .option,
                "there is no format \(JSONText.string(format))"
                    + (nearest.map { "; did you mean \($0)?" } ?? "; use one of \(names.joined(separator: ", "))"))
        }
        var reader = try OptionReader(text)
        var subtitles = SubtitleOptions()
        let count = OptionType.integer(1...1000)
        try reader.read("style", .choice, into: &subtitles.style)
        try reader.read("max_line_width", count, into: &subtitles.maxLineWidth)
        try reader.read("max_line_count", count, into: &subtitles.maxLineCount)
        try reader.read("max_words_per_line", count, into: &subtitles.maxWordsPerLine)
        try reader.read("highlight_words", .flag, into: &subtitles.highlightWords)
        try reader.finish()
        return format.text(of: try read(transcript), subtitles: subtitles)
    }

    private static func read(_ text: [UInt8]) throws(InterfaceError) -> Transcript {
        let value: JSONValue
        do {
            value = try JSONValue(text, depth: 8, members: max(1, text.count))
        } catch {
            throw InterfaceError(.option, "the transcript is not valid JSON: byte \(error.offset) \(error.what)")
        }
        let parts = array(value["segments"])
        guard let parts else { throw InterfaceError(.option, "the transcript has no array of segments") }
        var segments: [TranscriptSegment] = []
        for part in parts { segments.append(try segment(part, index: segments.count)) }
        var transcript = Transcript(
            text: value["text"]?.string ?? segments.map(\.text).joined(),
            language: value["language"]?.string ?? "en",
            duration: number(value["duration"]) ?? segments.last?.end ?? 0, segments: segments)
        transcript.turns = array(value["turns"])?.compactMap { turn in
            guard let start = number(turn["start"]), let end = number(turn["end"]),
                let speaker = turn["speaker"]?.string
            else { return nil }
            return TranscriptTurn(start: start, end: end, speaker: speaker)
        }
        transcript.speech = array(value["speech"])?.compactMap { span in
            guard let start = number(span["start"]), let end = number(span["end"]) else { return nil }
            return TranscriptSpan(start: start, end: end, speaker: span["speaker"]?.string)
        }
        return transcript
    }

    private static func segment(_ value: JSONValue, index: Int) throws(InterfaceError) -> TranscriptSegment {
        guard let start = number(value["start"]), let end = number(value["end"]), let text = value["text"]?.string
        else {
            throw InterfaceError(.option, "segment \(index) of the transcript needs \"start\", \"end\" and \"text\"")
        }
        var segment = TranscriptSegment(
            id: integer(value["id"]) ?? index, seek: integer(value["seek"]), start: start, end: end, text: text,
            tokens: array(value["tokens"])?.compactMap { integer($0) } ?? [],
            temperature: number(value["temperature"]), avgLogprob: number(value["avg_logprob"]) ?? 0,
            compressionRatio: number(value["compression_ratio"]), noSpeechProb: number(value["no_speech_prob"]))
        segment.words = array(value["words"])?.compactMap(word)
        segment.language = value["language"]?.string
        segment.speaker = value["speaker"]?.string
        segment.tokenLogprobs = array(value["token_logprobs"])?.compactMap { number($0) }
        return segment
    }

    private static func word(_ value: JSONValue) -> TranscriptWord? {
        guard let word = value["word"]?.string, let start = number(value["start"]), let end = number(value["end"])
        else {
            return nil
        }
        return TranscriptWord(
            word: word, start: start, end: end, probability: number(value["probability"]) ?? 1,
            speaker: value["speaker"]?.string)
    }

    private static func array(_ value: JSONValue?) -> [JSONValue]? {
        if case .array(let elements)? = value { elements } else { nil }
    }

    private static func number(_ value: JSONValue?) -> Double? {
        guard case .number(let text)? = value, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func integer(_ value: JSONValue?) -> Int? { number(value).flatMap { Int(exactly: $0) } }
}
