package import EngineTranscripts

extension TranscriptSegment {
    /// Half a second from second `id` on.
    package static func planted(id: Int, isFinal: Bool) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: id, seek: 0, start: Double(id), end: Double(id) + 0.5, text: isFinal ? " f\(id)" : " ?", tokens: [],
            temperature: 0, avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0)
        segment.isFinal = isFinal
        return segment
    }
}
