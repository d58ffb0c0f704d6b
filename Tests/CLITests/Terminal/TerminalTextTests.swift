import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Terminal text")
struct TerminalTextTests {
    private static let hostile = "a\u{1b}[2J\u{7}\r\u{9b}1m\u{202e}b\u{2069}\tc\nd\u{2028}e"

    @Test("values are made safe, this program's own literals are not, and the original is kept for pipes")
    func values() {
        let text: TerminalText = "\u{1b}[1m\(Self.hostile)\u{1b}[0m"
        #expect(text.safe == "\u{1b}[1ma�[2J���1m<U+202E>b<U+2069>\tc\nd�e\u{1b}[0m")
        #expect(text.original == "\u{1b}[1m\(Self.hostile)\u{1b}[0m")
        #expect(TerminalText(line: "a\nb\tc").safe == "a�b\tc")
    }

    /// A control character, a separator, marks and controls of the writing direction, zero-width characters, a tag, a filler.
    private static let invisible: [Unicode.Scalar] = [
        "\u{7}", "\u{7f}", "\u{9b}", "\u{ad}", "\u{61c}", "\u{180e}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}",
        "\u{200f}",
        "\u{2028}", "\u{202e}", "\u{2060}", "\u{2067}", "\u{2069}", "\u{3164}", "\u{feff}", "\u{e0001}", "\u{e0041}",
        "\u{e007f}",
    ]

    @Test("characters that show nothing are escaped in names", arguments: invisible)
    func names(scalar: Unicode.Scalar) {
        let name = "a\(scalar)b"
        let quoted = ShellQuoting.quoted(name)
        #expect(quoted.hasPrefix("$'a\\x") && quoted.unicodeScalars.allSatisfy { !$0.isInvisible })
        let text = TerminalText(name: name)
        #expect(text.original == name && text.safe.unicodeScalars.allSatisfy { !$0.isInvisible })
        let digits = String(scalar.value, radix: 16, uppercase: true)
        #expect(text.safe.hasPrefix("a<U+") && text.safe.hasSuffix("\(digits)>b"))
    }

    @Test("an emoji's variation selector is part of a name, and of a joined emoji all parts stay visible")
    func emoji() {
        #expect(ShellQuoting.quoted("\u{2764}\u{fe0f}.wav") == "\u{2764}\u{fe0f}.wav")
        #expect(TerminalText(name: "\u{1f468}\u{200d}\u{1f467}").safe == "\u{1f468}<U+200D>\u{1f467}")
    }

    @Test("in a spoken text, marks of the direction and joiners stay, and a line with marks is isolated from the rest")
    func spoken() {
        let persian = "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}"
        #expect(TerminalText(line: persian).safe == persian)
        for mark in ["\u{61c}", "\u{200e}", "\u{200f}"] {
            #expect(TerminalText(line: "a\(mark)b").safe == "\u{2068}a\(mark)b\u{2069}")
            #expect(TerminalText("a\nb" + mark + "\nc").safe == "a\n\u{2068}b\(mark)\u{2069}\nc")
            #expect(TerminalText(line: "a\(mark)\u{202e}").safe == "\u{2068}a\(mark)<U+202E>\u{2069}")
            #expect(TerminalText(line: "a\(mark)b").original == "a\(mark)b")
        }
    }

    @Test("a text that was made safe is not changed again when it becomes part of another one")
    func parts() {
        let value = "\u{1b}é"
        let part = TerminalText(value)
        let whole: TerminalText = "\u{1b}[K\(part)" + "\u{7}"
        #expect(whole.safe == "\u{1b}[K�é\u{7}" && whole.original == "\u{1b}[K\u{1b}é\u{7}")
        #expect(TerminalText("").isEmpty && !whole.isEmpty)
    }
}

/// A model whose words drive the terminal.
@Suite("Hostile vocabulary", .serialized)
struct HostileVocabularyTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        let made = try Program.shell(
            """
            cp "$CLIPS/say-00.wav" talk.wav
            python3 "$FIXTURES/model.py" "$MODEL" hostile.bin 4 4 hostile-vocabulary
            whisper-local live -q -m ./hostile.bin --speed max --file talk.wav --session talk --no-timestamps > piped
            """, in: scratch)
        try #require(made.status == 0, "\(made.error)")
    }

    private static let raw = " \u{1b}]0;x\u{7}f\u{9b}an\u{202e}"
    private static let shown = "�]0;x�f�an<U+202E>"

    @Test(
        "nothing that a model says controls the terminal",
        arguments: [
            "whisper-local transcribe -m ./hostile.bin talk.wav",
            "whisper-local transcribe -m ./hostile.bin --print-colors talk.wav",
            "whisper-local live -m ./hostile.bin --speed max --file talk.wav",
            "whisper-local history show talk", "whisper-local history export talk",
            "whisper-local history export -f json talk", "whisper-local history search down",
        ])
    func terminal(command: String) throws {
        let outcome = try Program.shell(
            "TERM=xterm in-terminal 200 20 -- \(command)", in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("an<U+202E>") || outcome.output.contains(#"an\u202e"#), "\(outcome.output)")
        #expect(!outcome.output.contains("\u{1b}]"), "\(outcome.output)")
        let controls: Set<Unicode.Scalar> = ["\u{7}", "\u{9b}", "\u{202e}"]
        #expect(!outcome.output.unicodeScalars.contains(where: controls.contains), "\(outcome.output)")
    }

    @Test("a dictated text does not control the terminal either")
    func dictation() throws {
        let outcome = try Program.shell(
            """
            TERM=xterm in-terminal 80 10 'see:hold SPACE' 'hold:3.1' 'see:6 words' 'see:idle' 'send:q' -- \\
                whisper-local dictate -m ./hostile.bin --file talk.wav
            """, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        #expect(outcome.output.contains("the \(Self.shown) down"), "\(outcome.output)")
    }

    @Test("a pipe gets the text unchanged")
    func pipes() throws {
        let outcome = try Program.shell(
            """
            cat piped
            for command in 'transcribe -m ./hostile.bin --no-timestamps talk.wav' 'history export talk' \\
                'history show --no-timestamps talk'; do
                whisper-local $command | cat
            done
            """, in: scratch)
        #expect(outcome.output.components(separatedBy: "the\(Self.raw) down").count == 5, "\(outcome.output)")
    }
}
