import Foundation
import Testing

/// Runs commands in a pseudo-terminal created by `script` (package bsdutils, always installed on Debian).
@Suite("Terminal")
struct TerminalTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        _ = try Program.shell("cp \"$CLIPS/say-00.wav\" talk.wav", in: scratch)
    }

    /// The bytes that the terminal receives.
    private func screen(_ command: String, columns: Int = 80, term: String? = "xterm") throws -> String {
        let inner = "stty cols \(columns); \(command)"
        let environment = term.map { ["TERM": $0] } ?? [:]
        return try Program.shell("script -qec '\(inner)' /dev/null", in: scratch, environment: environment).output
    }

    private static let text =
        "[00:00.520 --> 00:03.040]  Turn the fan down to 5%.\r\n"
        + "[00:03.620 --> 00:05.460]  Where did you put the short chair?\r\n"

    @Test("a terminal shows a progress line, which is gone at the end")
    func progress() throws {
        let screen = try screen("whisper-local transcribe talk.wav")
        #expect(screen.contains("\r0:00 of 0:05 (0%)"))
        #expect(screen.contains("\r\u{1b}[K[00:00.520 --> 00:03.040]  Turn the fan down to 5%.\r\n"))
        // It may have been drawn once more after the text, and is then erased.
        let end = try #require(screen.components(separatedBy: "Where did you put the short chair?\r\n").last)
        #expect(end.isEmpty || end.hasSuffix("\r\u{1b}[K"))
    }

    @Test(
        "there is no progress line on a dumb or very narrow terminal, or if it is switched off",
        arguments: [
            ("", 80, "dumb"), ("", 80, nil), ("", 0, "xterm"), ("", 1, "xterm"), ("--no-progress", 80, "xterm"),
            ("--quiet", 80, "xterm"),
        ] as [(String, Int, String?)])
    func plain(option: String, columns: Int, term: String?) throws {
        let screen = try screen("whisper-local transcribe \(option) talk.wav", columns: columns, term: term)
        #expect(screen == Self.text)
    }

    @Test("the progress line goes to the terminal and the text to the file")
    func redirected() throws {
        let screen = try screen("whisper-local transcribe talk.wav > text; cat text")
        #expect(screen.contains("0:00 of 0:05 (0%)"))
        #expect(screen.hasSuffix(Self.text))
    }

    @Test("volatile text is dim, and plain with --color=never")
    func volatile() throws {
        // Slow enough for volatile text to be drawn: the screen is redrawn at most ten times a second.
        let command = "whisper-local transcribe --backend reference --threads 1"
        #expect(try screen("\(command) talk.wav").contains("\u{1b}[2m Turn"))
        let plain = try screen("\(command) --color=never talk.wav")
        #expect(plain.contains(" Turn") && !plain.contains("\u{1b}[2m"))
    }

    @Test("words are colored on a terminal")
    func colors() throws {
        #expect(try screen("whisper-local transcribe --print-colors talk.wav").contains("\u{1b}[38;5;71m the\u{1b}[0m"))
        #expect(try !screen("NO_COLOR=1 whisper-local transcribe --print-colors talk.wav").contains("\u{1b}[38"))
    }

    @Test("a terminal as standard input is rejected")
    func input() throws {
        let screen = try screen("whisper-local transcribe -; echo $?")
        #expect(screen.hasPrefix("error: standard input is a terminal, not a recording\r\ntry: "))
        #expect(screen.hasSuffix("64\r\n"))
    }

    @Test("waiting for a named pipe is reported after two seconds, and Ctrl-C ends it")
    func waiting() throws {
        let press = "for i in $(seq 200); do grep -q waiting .out && break; sleep 0.2; done; printf '\\003'"
        let outcome = try Program.shell(
            "mkfifo pipe; (\(press)) | script -qec 'stty cols 80; exec whisper-local transcribe pipe' /dev/null",
            in: scratch, environment: ["TERM": "xterm"])
        #expect(outcome.output.hasPrefix("waiting for data from pipe (Ctrl-C to stop)\r\n"))
        #expect(outcome.status == 130)
    }
}
