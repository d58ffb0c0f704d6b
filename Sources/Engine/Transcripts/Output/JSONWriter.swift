import EngineBasics

/// What produced a transcript; the last member of a json file.
package struct TranscriptOrigin: Hashable, Sendable {
    /// The version of the program.
    package var version: String
    /// The name of the model.
    package var model: String

    package init(version: String, model: String) {
        self.version = version
        self.model = model
    }
}

/// `.json`: the result of openai-whisper on one line, byte for byte as Python's `json.dumps` writes it, without a final
/// newline. Like Python, it writes `NaN`, `Infinity` and `-Infinity` for numbers that are not finite.
///
/// Segments and words with a speaker, which openai-whisper does not have, also get `"speaker"`, and segments with their own
/// language `"language"`. Text that was aligned but is not said has `null` for its times.
package struct JSONWriter: TranscriptWriter {
    /// Appends `"whisper_local": {"version", "model", "duration"}` unless `nil`.
    package let origin: TranscriptOrigin?

    package init(origin: TranscriptOrigin? = nil) {
        self.origin = origin
    }

    package func text(of transcript: Transcript) -> String {
        var members = [
            ("text", PythonJSON.string(transcript.text)),
            ("segments", array(transcript.segments.map(segment))),
            ("language", PythonJSON.string(transcript.language)),
        ]
        if let origin {
            let source = object([
                ("version", PythonJSON.string(origin.version)), ("model", PythonJSON.string(origin.model)),
                ("duration", PythonJSON.number(transcript.duration)),
            ])
            members.append(("whisper_local", source))
        }
        return object(members)
    }

    private func segment(_ segment: TranscriptSegment) -> String {
        var members: [(key: String, value: String)] = [("id", String(segment.id))]
        func add(_ key: String, _ value: String?) { if let value { members.append((key, value)) } }
        add("seek", segment.seek.map { String($0) })
        add("start", segment.isSpoken ? PythonJSON.number(segment.start) : "null")
        add("end", segment.isSpoken ? PythonJSON.number(segment.end) : "null")
        add("text", PythonJSON.string(segment.text))
        add("tokens", array(segment.tokens.map { String($0) }))
        add("temperature", segment.temperature.map(PythonJSON.number))
        add("avg_logprob", PythonJSON.number(segment.avgLogprob))
        add("compression_ratio", segment.compressionRatio.map(PythonJSON.number))
        add("no_speech_prob", segment.noSpeechProb.map(PythonJSON.number))
        add("speaker", segment.speaker.map(PythonJSON.string))
        add("language", segment.language.map(PythonJSON.string))
        add("words", segment.words.map { array($0.map(word)) })
        return object(members)
    }

    private func word(_ word: TranscriptWord) -> String {
        let speaker = word.speaker.map { [("speaker", PythonJSON.string($0))] } ?? []
        let isSpoken = word.isSpoken != false
        return object(
            [
                ("word", PythonJSON.string(word.word)),
                ("start", isSpoken ? PythonJSON.number(word.start) : "null"),
                ("end", isSpoken ? PythonJSON.number(word.end) : "null"),
                ("probability", PythonJSON.number(word.probability)),
            ] + speaker)
    }

    private func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    private func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ", ") + "]"
    }
}
