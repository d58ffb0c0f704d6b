import Foundation
import Testing

/// `live` in a pseudo-terminal, where `in-terminal` plays the user.
@Suite("Live on a terminal", .serialized)
struct LiveTerminalTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func play(
        _ steps: [String], columns: Int = 60, rows: Int = 10, command: String, environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        let words = steps.map { "'\($0)'" }.joined(separator: " ")
        return try Program.shell(
            "in-terminal \(columns) \(rows) \(words) -- \(command)", in: scratch,
            environment: ["TERM": "xterm"].merging(environment) { $1 })
    }

    /// The emulated terminal after all output.
    private func terminal(_ output: String, columns: Int = 60, rows: Int = 10) -> TerminalEmulator {
        var terminal = TerminalEmulator(columns: columns, rows: rows)
        terminal.write(output.replacingOccurrences(of: "\u{1b}[?2026$p", with: ""))
        return terminal
    }

    private static let talk = "whisper-local live --file \"$CLIPS/say-00.wav\""
    private static let greeting = String(Program.greeting.dropLast())
    private static let text = ["Turn the fan down to 5%.", "Where did you put the short chair?"]

    @Test(
        "at the end the terminal shows one line per utterance and nothing else", arguments: [60, 17])
    func golden(columns: Int) throws {
        let outcome = try play([], columns: columns, command: "\(Self.talk) --no-timestamps")
        #expect(outcome.status == 0 && outcome.error == "")
        let terminal = terminal(outcome.output, columns: columns)
        // Blanks fill the rows.
        let lines = terminal.lines().map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines == [Self.greeting] + Self.text)
        #expect(terminal.unknown.isEmpty && terminal.showsCursor && !terminal.hasDimCells)
        #expect(outcome.output.contains("\u{1b}[2m"))
    }

    @Test("lines begin with their time, and the status line is below them")
    func status() throws {
        let outcome = try play(["see:lag 0."], command: Self.talk)
        #expect(outcome.status == 0 && outcome.error == "")
        let lines = terminal(outcome.output).lines().dropFirst()
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("[00:0") && $0.contains("]  ") })
        #expect(outcome.output.contains("\u{1b}[2m0:0"))
    }

    @Test("NO_COLOR shows volatile text in parentheses, and a dumb terminal gets plain lines")
    func plain() throws {
        let plain = try play([], command: "\(Self.talk) --no-timestamps", environment: ["NO_COLOR": "1"])
        #expect(terminal(plain.output).lines() == [Self.greeting] + Self.text)
        #expect(!plain.output.contains("\u{1b}[2m") && plain.output.contains("("))
        let dumb = try play([], command: "\(Self.talk) --no-timestamps", environment: ["TERM": "dumb"])
        #expect(dumb.output == ([Self.greeting] + Self.text).map { $0 + "\r\n" }.joined())
    }

    @Test("space and p pause and resume without losing speech")
    func paused() throws {
        let outcome = try play(
            ["see:0:01", "send: ", "see:paused (space resumes)", "wait:1", "send:p", "see:speech"],
            command: "\(Self.talk) --no-timestamps")
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(terminal(outcome.output).lines().joined().contains("Where did you put the short chair?"))
    }

    @Test("Ctrl-Z restores the terminal, and fg continues with every line in place")
    func suspended() throws {
        let outcome = try play(
            ["see:listening", "send:\\x1a", "stopped"], command: "\(Self.talk) --no-timestamps")
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(terminal(outcome.output).lines().dropFirst().joined(separator: " ") == Self.text.joined(separator: " "))
    }

    @Test(
        "the terminal is restored however the program ends",
        arguments: [
            ("send:\\x03", 0), ("signal:SIGTERM", 143), ("signal:SIGHUP", 129), ("signal:SIGSEGV", 70),
            ("signal:SIGABRT", 70),
        ])
    func restored(step: String, status: Int32) throws {
        let outcome = try play(["see:listening", step], command: Self.talk)
        #expect(outcome.status == status)
        // Standard error is the terminal.
        #expect(outcome.error == "")
    }

    @Test("messages are on separate lines")
    func messages() throws {
        let outcome = try play(
            [], command: "sh -c 'head -c 400000 /dev/zero | whisper-local live --raw s16le:16000:1 -'")
        #expect(outcome.status == 0)
        #expect(
            terminal(outcome.output).lines() == [
                Self.greeting, "warning: no signal for 10 s: is the microphone muted?",
            ])
    }

    @Test("resizing the window loses no text")
    func resized() throws {
        let outcome = try play(
            ["see:listening", "size:20x5", "wait:1", "size:7x3", "wait:1", "size:100x30", "wait:0.5"],
            command: "\(Self.talk) --no-timestamps")
        #expect(outcome.status == 0 && outcome.error == "")
        for word in Self.text.flatMap({ $0.split(separator: " ") }) {
            #expect(outcome.output.contains(word), "\(word)")
        }
    }
}
