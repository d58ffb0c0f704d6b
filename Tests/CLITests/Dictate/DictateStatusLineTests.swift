import Testing
import WhisperCommands
import WhisperEngine

@Suite("Dictate status line")
struct DictateStatusLineTests {
    private static func text(
        _ phase: PushToTalk.Phase, columns: Int = 60, at time: Double = 0, isStyled: Bool = false,
        volatile: String = "", keys: DictateStatusLine.Keys = .held
    ) -> String {
        var line = DictateStatusLine(phase: phase)
        (line.isStyled, line.volatile, line.keys, line.level) = (isStyled, volatile, keys, -30)
        return line.text(columns: columns, at: time).safe
    }

    @Test("every phase has its line")
    func phases() {
        #expect(Self.text(.idle) == "  idle   hold SPACE to speak, q quits")
        #expect(Self.text(.idle, keys: .toggled) == "  idle   SPACE to start, SPACE again to stop, q quits")
        #expect(Self.text(.idle, keys: .none) == "  idle   SIGUSR1 to start, SIGUSR2 to stop")
        #expect(Self.text(.recording(seconds: 2.04)) == "●  2.0 s  [#####.....]")
        #expect(Self.text(.recording(seconds: 2.5), at: 0.6) == "   2.5 s  [#####.....]")
        #expect(
            Self.text(.recording(seconds: 2), isStyled: true, volatile: " Turn the")
                == "\u{1b}[31m●\u{1b}[0m  2.0 s  [#####.....]  \u{1b}[2mTurn the\u{1b}[0m")
        #expect(Self.text(.processing(seconds: 0.4), at: 0.11) == "/ 0.4 s")
        #expect(Self.text(.complete(words: 23, seconds: 0.42)) == "✓ 23 words, 0.4 s")
        #expect(
            Self.text(.complete(words: 1, seconds: 0.42), isStyled: true) == "\u{1b}[32m✓\u{1b}[0m 1 word, 0.4 s")
        #expect(
            Self.text(.complete(words: 2, seconds: 0.42), isStyled: true, volatile: " Turn the")
                == "\u{1b}[32m✓\u{1b}[0m 2 words, 0.4 s  \u{1b}[2mTurn the\u{1b}[0m")
        #expect(Self.text(.noSpeech) == "  no speech")
        #expect(Self.text(.error("x"), isStyled: true) == "\u{1b}[31mx\u{1b}[0m")
    }

    @Test("no line is wider than the terminal less one column", arguments: 0...60)
    func narrow(columns: Int) {
        let phases: [PushToTalk.Phase] = [
            .idle, .recording(seconds: 100), .processing(seconds: 3), .complete(words: 100, seconds: 2), .noSpeech,
            .error("the microphone is busy: close the other program, or choose another device with --device"),
        ]
        for phase in phases {
            let text = Self.text(phase, columns: columns, volatile: "日本語 and \u{1b}[2J much more was said before")
            #expect(DisplayWidth.columns(of: text) <= max(0, columns - 1), "\(phase): \(text)")
            #expect(!text.contains("\u{1b}"))
        }
    }
}
