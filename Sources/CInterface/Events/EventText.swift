import EngineBasics
import EngineTranscription
import EngineTranscripts

/// Events as JSON.
enum EventText {
    /// - Parameter findsSpeech: whether only speech is transcribed. Batches start before all of it is known.
    static func info(_ start: RecordingStart, findsSpeech: Bool) -> String {
        let heard = findsSpeech ? start.speechDuration : start.duration
        let probabilities = start.languageProbabilities?.map {
            JSONText.array([JSONText.string($0.code), number($0.probability)])
        }
        return event(
            "info",
            [
                ("language", JSONText.string(start.language)),
                ("language_probability", number(start.languageProbability)),
                ("all_language_probs", probabilities.map { JSONText.array($0) } ?? "null"),
                ("duration", start.duration.map { number($0) } ?? "null"),
                ("duration_after_vad", heard.map { number($0) } ?? "null"),
            ])
    }

    static func segment(_ segment: TranscriptSegment, isLive: Bool) -> String {
        var members = [
            ("id", "\(segment.id)"), ("seek", segment.seek.map { "\($0)" } ?? "null"),
            ("start", time(segment.start)), ("end", time(segment.end)), ("text", JSONText.string(segment.text)),
            ("tokens", JSONText.array(segment.tokens.map { "\($0)" })),
            ("temperature", number(segment.temperature)), ("avg_logprob", number(segment.avgLogprob)),
            ("compression_ratio", number(segment.compressionRatio)),
            ("no_speech_prob", number(segment.noSpeechProb)),
            ("words", segment.words.map { JSONText.array($0.map(word)) } ?? "null"),
        ]
        if let language = segment.language { members.append(("language", JSONText.string(language))) }
        if let speaker = segment.speaker { members.append(("speaker", JSONText.string(speaker))) }
        if let logprobs = segment.tokenLogprobs {
            members.append(("token_logprobs", JSONText.array(logprobs.map { number($0) })))
        }
        if isLive { members.append(("utterance", "\(segment.utterance)")) }
        return event("segment", members)
    }

    private static func word(_ word: TranscriptWord) -> String {
        var members = [
            ("start", time(word.start)), ("end", time(word.end)), ("word", JSONText.string(word.word)),
            ("probability", number(word.probability)),
        ]
        if let speaker = word.speaker { members.append(("speaker", JSONText.string(speaker))) }
        return JSONText.object(members)
    }

    static func volatile(_ segment: TranscriptSegment?) -> String {
        var members = [("text", JSONText.string(segment?.text))]
        if let segment { members = [("start", time(segment.start)), ("end", time(segment.end))] + members }
        return event("volatile", members)
    }

    static func progress(position: Double, duration: Double?) -> String {
        event("progress", [("position", time(position)), ("duration", duration.map { time($0) } ?? "null")])
    }

    static func notice(_ text: String, isWarning: Bool = false) -> String {
        event(
            "notice",
            [("level", isWarning ? "\"warning\"" : "\"detail\""), ("text", JSONText.string(text))])
    }

    static func done(_ transcript: Transcript) -> String {
        var members = [
            ("text", JSONText.string(transcript.text)), ("language", JSONText.string(transcript.language)),
            ("duration", number(transcript.duration)),
        ]
        if let turns = transcript.turns {
            let texts = turns.map { turn in
                JSONText.object([
                    ("start", time(turn.start)), ("end", time(turn.end)), ("speaker", JSONText.string(turn.speaker)),
                ])
            }
            members.append(("turns", JSONText.array(texts)))
        }
        if let speech = transcript.speech {
            let texts = speech.map { span in
                JSONText.object(
                    [("start", time(span.start)), ("end", time(span.end))]
                        + (span.speaker.map { [("speaker", JSONText.string($0))] } ?? []))
            }
            members.append(("speech", JSONText.array(texts)))
        }
        return event("done", members)
    }

    // MARK: Live streams

    static func language(_ code: String, _ probability: Double) -> String {
        event("language", [("language", JSONText.string(code)), ("language_probability", number(probability))])
    }

    static func status(_ status: SessionStatus) -> String {
        event(
            "status",
            [
                ("state", JSONText.string(status.state.rawValue)), ("clock", time(status.clock)),
                ("decoded", time(status.decoded)), ("lag", time(status.lag)), ("speech", "\(status.speech)"),
                ("level_dbfs", status.levelDBFS.map { JSONText.number($0) } ?? "null"),
            ])
    }

    static func gap(_ gap: SessionGap) -> String {
        event("gap", [("clock", time(gap.clock)), ("lost", time(gap.lost))])
    }

    static func done(seconds: Double) -> String { event("done", [("duration", time(seconds))]) }

    // MARK: Values

    /// A path; bytes that are not UTF-8 are replaced.
    static func path(_ path: FilePath) -> String { JSONText.string(String(decoding: path.bytes, as: UTF8.self)) }

    private static func event(_ type: String, _ members: [(key: String, value: String)]) -> String {
        JSONText.object([("type", JSONText.string(type))] + members)
    }

    /// Seconds, with milliseconds.
    private static func time(_ seconds: Double) -> String { JSONText.number(seconds) }

    /// All digits; `null` if the value is missing or not finite.
    private static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "null" }
        return "\(value)"
    }
}
