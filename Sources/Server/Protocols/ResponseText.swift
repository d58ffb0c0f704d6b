import WhisperEngine

extension JSONText {
    /// At most six decimals; numbers that JSON does not have are limited to ±1e9, NaN is 0.
    static func statistic(_ value: Double) -> String {
        number(value.isNaN ? 0 : max(-1e9, min(value, 1e9)), decimals: 1e6)
    }
}

extension Timestamp {
    /// `01:02:03.456`; hours have at least two digits.
    var vttWithHours: String { String(srt.map { $0 == "," ? "." : $0 }) }
}

extension Transcript {
    /// The segments that contain text.
    var spokenSegments: [TranscriptSegment] { segments.filter { !WhiteSpace.strip($0.text).isEmpty } }
}
