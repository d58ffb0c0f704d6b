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
/// Segments and words with a speaker, which openai-whisper does not have, also get `"speaker"`, and segments their
/// `"language"`.
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
        var members = [
            ("id", String(segment.id)),
            ("seek", String(segment.seek)),
            ("start", PythonJSON.number(segment.start)),
            ("end", PythonJSON.number(segment.end)),
            ("text", PythonJSON.string(segment.text)),
            ("tokens", array(segment.tokens.map { String($0) })),
            ("temperature", PythonJSON.number(segment.temperature)),
            ("avg_logprob", PythonJSON.number(segment.avgLogprob)),
            ("compression_ratio", PythonJSON.number(segment.compressionRatio)),
            ("no_speech_prob", PythonJSON.number(segment.noSpeechProb)),
        ]
        if let speaker = segment.speaker {
            members.append(("speaker", PythonJSON.string(speaker)))
            if let language = segment.language { members.append(("language", PythonJSON.string(language))) }
        }
        if let words = segment.words { members.append(("words", array(words.map(word)))) }
        return object(members)
    }

    private func word(_ word: TranscriptWord) -> String {
        let speaker = word.speaker.map { [("speaker", PythonJSON.string($0))] } ?? []
        return object(
            [
                ("word", PythonJSON.string(word.word)), ("start", PythonJSON.number(word.start)),
                ("end", PythonJSON.number(word.end)), ("probability", PythonJSON.number(word.probability)),
            ] + speaker)
    }

    private func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    private func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ", ") + "]"
    }
}
