import Testing
import WhisperEngine
import WhisperServer

@Suite("Stored transcript")
struct TranscriptTextTests {
    /// A transcript in which no property has its default.
    private static let full: Transcript = {
        var segment = TranscriptSegment(
            id: 7, seek: 3000, start: 30.02, end: 31.98, text: " Größe \"x\"\\\n\u{1f600}\u{0}",
            tokens: [50_364, 1, 50_462],
            temperature: 0.2, avgLogprob: -0.123456789012345, compressionRatio: 1.1, noSpeechProb: 1e-20,
            words: [
                TranscriptWord(
                    word: " Größe", start: 30.02, end: 30.5, probability: 0.987654321, speaker: "speaker 1")
            ])
        segment.tokenLogprobs = [-0.25, -.infinity, 0]
        segment.language = "de"
        segment.speaker = "speaker 1"
        segment.isFinal = false
        segment.session = SessionID("0b3c")
        segment.utterance = 3
        var transcript = Transcript(text: " Größe", language: "de", duration: 61.5, segments: [segment])
        transcript.turns = [TranscriptTurn(start: 30, end: 31.5, speaker: "speaker 1")]
        transcript.speech = [TranscriptSpan(start: 29.95, end: 30.75)]
        return transcript
    }()

    @Test("a transcript is read back exactly as it was written")
    func roundTrip() {
        #expect(TranscriptText.decode(TranscriptText.encode(Self.full)) == Self.full)
        var words = CacheFixture.transcript("none")
        #expect(TranscriptText.decode(TranscriptText.encode(words)) == words)
        words.segments[0].words = []
        #expect(TranscriptText.decode(TranscriptText.encode(words)) == words)
        let empty = Transcript(text: "", language: "en", duration: 0, segments: [])
        #expect(TranscriptText.decode(TranscriptText.encode(empty)) == empty)
    }

    @Test("the sample above sets every property, so that none can be forgotten")
    func complete() {
        func properties(_ value: Any) -> [String: String] {
            Dictionary(uniqueKeysWithValues: Mirror(reflecting: value).children.map { ($0.label ?? "", "\($0.value)") })
        }
        #expect(properties(Self.full).count == 6)
        let plain = TranscriptSegment(
            id: 0, seek: 0, start: 0, end: 0, text: "", tokens: [], temperature: 0, avgLogprob: 0,
            compressionRatio: 0, noSpeechProb: 0)
        let (defaults, sample) = (properties(plain), properties(Self.full.segments[0]))
        #expect(defaults.count == 17)
        for (name, value) in defaults { #expect(sample[name] != value, "\(name)") }
        // But for `isSpoken`, which only `align` sets.
        #expect(properties(TranscriptWord(word: "", start: 0, end: 0, probability: 0)).count == 6)
    }

    @Test("numbers that are not finite survive", arguments: [Double.infinity, -.infinity, .nan, -0.0])
    func infinite(value: Double) throws {
        var transcript = CacheFixture.transcript("x")
        transcript.segments[0].avgLogprob = value
        let read = try #require(TranscriptText.decode(TranscriptText.encode(transcript)))
        #expect("\(read.segments[0].avgLogprob)" == "\(value)")
    }

    @Test("a text truncated anywhere is not a transcript")
    func cut() {
        let bytes = Array(TranscriptText.encode(Self.full).utf8)
        for count in 0..<bytes.count {
            #expect(TranscriptText.decode(String(decoding: bytes[..<count], as: UTF8.self)) == nil, "\(count)")
        }
    }
}
