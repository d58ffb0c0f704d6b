import Foundation
import Testing

@Suite("Transcript")
struct TranscriptTests {
    private static func segment(_ change: (inout TranscriptSegment) -> Void) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: 3, seek: 500, start: 5.25, end: 6.5, text: " Grüße", tokens: [50_364, 7, 50_400], temperature: 0.2,
            avgLogprob: -0.25, compressionRatio: 1.5, noSpeechProb: 0.125)
        change(&segment)
        return segment
    }

    private static let word = TranscriptWord(word: " Grüße", start: 5.25, end: 6, probability: 0.75)

    /// Each differs from the others in one field.
    private static let segments = [
        segment { _ in }, segment { $0.words = [] }, segment { $0.words = [word] }, segment { $0.language = "de" },
        segment { $0.isFinal = false }, segment { $0.session = SessionID("6f1c") }, segment { $0.utterance = 2 },
    ]

    @Test("a transcript decodes to itself, with every field")
    func roundTrip() throws {
        let transcript = Transcript(text: " Grüße", language: "de", duration: 6.5, segments: Self.segments)
        let data = try JSONEncoder().encode(transcript)
        #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
        #expect(Set(Self.segments).count == Self.segments.count)
    }

    @Test("segments of openai-whisper's results are decoded as final, without the fields of live sessions")
    func reference() throws {
        let json = """
            {"id": 3, "seek": 500, "start": 5.25, "end": 6.5, "text": " Grüße", "tokens": [50364, 7, 50400],
            "temperature": 0.2, "avg_logprob": -0.25, "compression_ratio": 1.5, "no_speech_prob": 0.125}
            """
        #expect(try JSONDecoder().decode(TranscriptSegment.self, from: Data(json.utf8)) == Self.segments[0])
    }
}
