import Testing
import WhisperEngine
import WhisperCommands

@Suite("Live lines")
struct LiveLinesTests {
    private static func segment(_ text: String, _ start: Double, _ end: Double, utterance: Int) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: 0, seek: 0, start: start, end: end, text: text, tokens: [], temperature: 0, avgLogprob: 0,
            compressionRatio: 0, noSpeechProb: 0)
        segment.utterance = utterance
        return segment
    }

    @Test("an utterance is printed as one line when the next one begins, or at the end")
    func utterances() {
        var lines = LiveLines(showsTimestamps: true)
        #expect(lines.lines(for: .final(Self.segment(" Hello", 0.5, 1, utterance: 0))) == "")
        #expect(lines.lines(for: .volatile(Self.segment(" wor", 1, 1.5, utterance: 0))) == "")
        #expect(lines.lines(for: .final(Self.segment(" world.", 1, 2, utterance: 0))) == "")
        #expect(lines.lines(for: .volatile(nil)) == "")
        #expect(
            lines.lines(for: .volatile(Self.segment(" And", 3, 3.5, utterance: 1)))
                == "[00:00.500 --> 00:02.000]  Hello world.\n")
        #expect(lines.lines(for: .final(Self.segment(" And so\non.", 3, 4, utterance: 1))) == "")
        #expect(lines.finish() == "[00:03.000 --> 00:04.000]  And so on.\n")
        #expect(lines.finish() == "")
    }

    @Test("a change of speaker ends the line, and each name has a color of its own")
    func speakers() {
        func final(_ text: String, _ start: Double, _ speaker: String) -> TranscriptUpdate {
            var segment = Self.segment(text, start, start + 1, utterance: 0)
            segment.speaker = speaker
            return .final(segment)
        }
        var lines = LiveLines(showsTimestamps: false)
        #expect(lines.lines(for: final(" One", 0, "speaker 1")) == "")
        #expect(lines.lines(for: final(" two.", 1, "speaker 1")) == "")
        #expect(lines.lines(for: .volatile(Self.segment(" thr", 2, 3, utterance: 0))) == "")
        #expect(lines.lines(for: final(" Three.", 2, "speaker 2")) == "[speaker 1] One two.\n")
        #expect(lines.finish() == "[speaker 2] Three.\n")
        var colored = LiveLines(showsTimestamps: false, colorsSpeakers: true)
        _ = colored.lines(for: final(" One", 0, "Anna"))
        #expect(colored.lines(for: final(" two", 1, "Ben")) == "\u{1b}[38;5;33m[Anna] \u{1b}[0mOne\n")
        #expect(colored.finish() == "\u{1b}[38;5;166m[Ben] \u{1b}[0mtwo\n")
    }

    @Test("silence ends the line, unless the silence is older than the line's last final")
    func silence() {
        var lines = LiveLines(showsTimestamps: false)
        _ = lines.lines(for: .final(Self.segment(" Hello.", 5, 6, utterance: 3)))
        let early = SessionStatus(state: .listening, clock: 5.5, decoded: 4.9, lag: 0, speech: false)
        #expect(lines.lines(for: .status(early)) == "")
        let open = SessionStatus(state: .listening, clock: 7, decoded: 6.5, lag: 0, speech: true)
        #expect(lines.lines(for: .status(open)) == "")
        let late = SessionStatus(state: .listening, clock: 8, decoded: 8, lag: 0, speech: false)
        #expect(lines.lines(for: .status(late)) == "Hello.\n")
    }
}
