import EngineBasics

/// A transcript as the JSON in which the program stores it: openai-whisper's keys, with words as arrays, because there are many.
package enum TranscriptText {
    // MARK: Writing

    package static func encode(_ transcript: Transcript) -> String {
        var members = [
            ("text", JSONText.string(transcript.text)), ("language", JSONText.string(transcript.language)),
            ("duration", number(transcript.duration)),
            ("segments", JSONText.array(transcript.segments.map(encode))),
        ]
        if let turns = transcript.turns { members.append(("turns", JSONText.array(turns.map(encode)))) }
        if let speech = transcript.speech { members.append(("speech", JSONText.array(speech.map(encode)))) }
        return JSONText.object(members)
    }

    private static func encode(_ span: TranscriptSpan) -> String {
        JSONText.array([number(span.start), number(span.end)] + (span.speaker.map { [JSONText.string($0)] } ?? []))
    }

    private static func encode(_ turn: TranscriptTurn) -> String {
        JSONText.array([number(turn.start), number(turn.end), JSONText.string(turn.speaker)])
    }

    private static func encode(_ segment: TranscriptSegment) -> String {
        var members = [
            ("id", "\(segment.id)"), ("start", number(segment.start)), ("end", number(segment.end)),
            ("text", JSONText.string(segment.text)), ("tokens", JSONText.array(segment.tokens.map { "\($0)" })),
            ("avg_logprob", number(segment.avgLogprob)), ("is_final", "\(segment.isFinal)"),
            ("utterance", "\(segment.utterance)"),
        ]
        if let seek = segment.seek { members.append(("seek", "\(seek)")) }
        for (key, value) in [
            ("temperature", segment.temperature), ("compression_ratio", segment.compressionRatio),
            ("no_speech_prob", segment.noSpeechProb),
        ] {
            if let value { members.append((key, number(value))) }
        }
        if let logprobs = segment.tokenLogprobs {
            members.append(("token_logprobs", JSONText.array(logprobs.map(number))))
        }
        if let words = segment.words { members.append(("words", JSONText.array(words.map(encode)))) }
        if let language = segment.language { members.append(("language", JSONText.string(language))) }
        if let speaker = segment.speaker { members.append(("speaker", JSONText.string(speaker))) }
        if let session = segment.session { members.append(("session", JSONText.string(session.description))) }
        return JSONText.object(members)
    }

    private static func encode(_ word: TranscriptWord) -> String {
        JSONText.array(
            [JSONText.string(word.word), number(word.start), number(word.end), number(word.probability)]
                + (word.speaker.map { [JSONText.string($0)] } ?? []))
    }

    /// JSON has no numbers that are not finite; they become strings.
    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "\"\(value)\"" }

    // MARK: Reading

    /// - Returns: `nil` if the text is damaged.
    package static func decode(_ text: String) -> Transcript? {
        guard let value = try? JSONValue(Array(text.utf8), depth: 6, members: text.utf8.count),
            let content = value["text"]?.string, let language = value["language"]?.string,
            let duration = number(value["duration"]), case .array(let elements)? = value["segments"],
            let segments = all(elements, segment)
        else { return nil }
        var transcript = Transcript(text: content, language: language, duration: duration, segments: segments)
        if case .array(let elements)? = value["turns"] {
            guard let turns = all(elements, turn) else { return nil }
            transcript.turns = turns
        }
        if case .array(let elements)? = value["speech"] {
            guard let speech = all(elements, span) else { return nil }
            transcript.speech = speech
        }
        return transcript
    }

    private static func span(_ value: JSONValue) -> TranscriptSpan? {
        guard case .array(let parts) = value, (2...3).contains(parts.count), let start = number(parts[0]),
            let end = number(parts[1])
        else { return nil }
        return TranscriptSpan(start: start, end: end, speaker: parts.count == 3 ? parts[2].string : nil)
    }

    private static func turn(_ value: JSONValue) -> TranscriptTurn? {
        guard case .array(let parts) = value, parts.count == 3, let start = number(parts[0]),
            let end = number(parts[1]), let speaker = parts[2].string
        else { return nil }
        return TranscriptTurn(start: start, end: end, speaker: speaker)
    }

    private static func segment(_ value: JSONValue) -> TranscriptSegment? {
        guard let id = integer(value["id"]), let start = number(value["start"]), let end = number(value["end"]),
            let text = value["text"]?.string, case .array(let ids)? = value["tokens"], let tokens = all(ids, integer),
            let avgLogprob = number(value["avg_logprob"]), case .bool(let isFinal)? = value["is_final"],
            let utterance = integer(value["utterance"])
        else { return nil }
        var segment = TranscriptSegment(
            id: id, seek: integer(value["seek"]), start: start, end: end, text: text, tokens: tokens,
            temperature: number(value["temperature"]), avgLogprob: avgLogprob,
            compressionRatio: number(value["compression_ratio"]), noSpeechProb: number(value["no_speech_prob"]))
        if case .array(let elements)? = value["words"] {
            guard let words = all(elements, word) else { return nil }
            segment.words = words
        }
        if case .array(let elements)? = value["token_logprobs"] {
            guard let logprobs = all(elements, { number($0) }) else { return nil }
            segment.tokenLogprobs = logprobs
        }
        segment.language = value["language"]?.string
        segment.speaker = value["speaker"]?.string
        segment.session = value["session"]?.string.map { SessionID($0) }
        segment.isFinal = isFinal
        segment.utterance = utterance
        return segment
    }

    private static func word(_ value: JSONValue) -> TranscriptWord? {
        guard case .array(let parts) = value, 4...5 ~= parts.count, let word = parts[0].string,
            let start = number(parts[1]), let end = number(parts[2]), let probability = number(parts[3])
        else { return nil }
        let speaker = parts.count == 5 ? parts[4].string : nil
        guard parts.count == 4 || speaker != nil else { return nil }
        return TranscriptWord(word: word, start: start, end: end, probability: probability, speaker: speaker)
    }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .number(let text)?, .string(let text)?: Double(text)
        default: nil
        }
    }

    private static func integer(_ value: JSONValue?) -> Int? {
        if case .number(let text)? = value { Int(text) } else { nil }
    }

    /// `nil` if `transform` returns `nil` for any element.
    private static func all<Value>(_ elements: [JSONValue], _ transform: (JSONValue) -> Value?) -> [Value]? {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard let value = transform(element) else { return nil }
            values.append(value)
        }
        return values
    }
}
