import WhisperEngine

extension JSONText {
    /// At most six decimals; numbers that JSON does not have are limited to ±1e9, NaN is 0.
    static func statistic(_ value: Double) -> String {
        number(value.isNaN ? 0 : max(-1e9, min(value, 1e9)), decimals: 1e6)
    }

    /// The members of a segment. Clients require all of them, so that what a model does not compute is 0.
    static func members(of segment: TranscriptSegment, id: Int) -> [(String, String)] {
        [
            ("id", "\(id)"), ("seek", "\(segment.seek ?? 0)"), ("start", number(segment.start)),
            ("end", number(segment.end)), ("text", string(segment.text)),
            ("tokens", array(segment.tokens.map { "\($0)" })),
            ("temperature", statistic(segment.temperature ?? 0)), ("avg_logprob", statistic(segment.avgLogprob)),
            ("compression_ratio", statistic(segment.compressionRatio ?? 0)),
            ("no_speech_prob", statistic(segment.noSpeechProb ?? 0)),
        ]
    }
}

extension Transcript {
    /// The segments that contain text.
    var spokenSegments: [TranscriptSegment] { segments.filter { !WhiteSpace.strip($0.text).isEmpty } }
}
