import Foundation
import Testing

/// `dictate` with a recording that plays during a press and pauses between presses.
@Suite("Dictate", .serialized)
struct DictateTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private static let talk = "whisper-local dictate --pid-file pid --file \"$CLIPS/say-00.wav\""
    private static let first = "Turn the fan down to 5%."
    private static let second = "Where did you put the short chair?"

    private func file(_ name: String) -> String {
        (try? String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)) ?? ""
    }

    private func wait(_ isTrue: () -> Bool) -> Bool {
        for _ in 0..<6000 {
            if isTrue() { return true }
            usleep(10_000)
        }
        return false
    }

    /// Starts the program and waits until it is ready for signals.
    private func start(_ options: String = "", environment: [String: String] = [:]) throws -> Program.Running {
        let running = try Program.start("exec \(Self.talk) \(options)", in: scratch, environment: environment)
        #expect(wait { file("pid") == "\(running.process)\n" })
        return running
    }

    /// Holds the key; by default for as long as the first utterance lasts.
    private func press(_ running: Program.Running, seconds: Double = 3.1) {
        running.signal(SIGUSR1)
        usleep(UInt32(seconds * 1_000_000))
        running.signal(SIGUSR2)
    }

    @Test("signals start and stop a recording, and each press prints a line of text")
    func signals() throws {
        let running = try start()
        press(running)
        #expect(running.waitForLine())
        press(running, seconds: 2.6)
        #expect(wait { running.outputSoFar.split(separator: "\n").count == 2 })
        running.signal(SIGINT)
        let outcome = try running.outcome()
        #expect(outcome == Program.Outcome(status: 0, output: "\(Self.first)\n\(Self.second)\n", error: ""))
        #expect(file("pid") == "")
    }

    @Test("an accidental press and a cancelled recording print nothing")
    func nothing() throws {
        let running = try start()
        press(running, seconds: 0.03)
        usleep(300_000)
        // Long enough for text, had it not been cancelled.
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGINT)
        usleep(300_000)
        running.signal(SIGTERM)
        let outcome = try running.outcome()
        #expect(outcome == Program.Outcome(status: 143, output: "", error: ""))
    }

    @Test("with --toggle the same signal starts and stops")
    func toggled() throws {
        let running = try start("--toggle --append-space")
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGUSR1)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        #expect(try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first) \n", error: ""))
    }

    @Test("SIGTERM during a recording still delivers its text")
    func terminated() throws {
        let running = try start()
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGTERM)
        #expect(try running.outcome() == Program.Outcome(status: 143, output: "\(Self.first)\n", error: ""))
    }

    @Test("the text is passed to a command's standard input without a shell")
    func delivered() throws {
        let running = try start("--deliver \"tee 'got \\$HOME'\"")
        press(running)
        #expect(wait { file("got $HOME") == Self.first })
        running.signal(SIGINT)
        #expect(try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first)\n", error: ""))
    }

    @Test(
        "a failed delivery is reported, and the text is still printed",
        arguments: [
            ("--deliver 'sleep 30'", "warning: sleep took longer than 2 s and was killed\n"),
            ("--deliver false", "warning: false failed with exit status 1\n"),
            (
                "--deliver no-such-program",
                "warning: no-such-program is not installed; install it, or use --deliver with another program\n"
            ),
            ("--copy", "warning: wl-copy is not installed; install it, or use --deliver with another program\n"),
        ])
    func failed(option: String, message: String) throws {
        let running = try start(option)
        press(running)
        #expect(running.waitForLine())
        #expect(running.waitForError { $0 == message })
        running.signal(SIGINT)
        #expect(try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first)\n", error: message))
    }

    @Test("--copy uses the first clipboard program that is installed")
    func copied() throws {
        try scratch.write("bin/xsel", "#!/bin/sh\ncat > \"$HOME-xsel\"\n")
        _ = try Program.shell("chmod +x bin/xsel", in: scratch)
        let running = try start(
            "--copy",
            environment: [
                "DISPLAY": ":9",
                "PATH": "\(scratch.url.path)/bin:\(Program.folder):/usr/bin:/bin",
            ])
        press(running)
        #expect(wait { file(".home-xsel") == Self.first })
        running.signal(SIGINT)
        #expect(try running.outcome().status == 0)
    }

    @Test("with --session the texts of all presses are saved in one session")
    func session() throws {
        let running = try start("--session notes")
        press(running)
        #expect(running.waitForLine())
        press(running, seconds: 2.6)
        #expect(wait { running.outputSoFar.split(separator: "\n").count == 2 })
        running.signal(SIGINT)
        #expect(try running.outcome().status == 0)
        let kept = try Program.shell(
            "sqlite3 .home/.local/share/whisper-local/sessions.db 'SELECT group_concat(text, \"\") FROM "
                + "(SELECT text FROM segment ORDER BY seq)'", in: scratch)
        #expect(kept.output == " \(Self.first) \(Self.second)\n", "\(kept.error)")
    }

    @Test(
        "a microphone is recorded from press to release without losing the first word",
        .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its ALSA plugin is not installed"))
    func microphone() async throws {
        let outcome = try await NullMicrophone.run(
            """
            microphone mic
            whisper-local dictate --device pipewire --pid-file pid & talk=$!
            until_true recorded; until_true test -s pid
            for clip in say-01 say-18; do
                sleep 1; kill -USR1 $talk; play mic "$CLIPS/$clip.wav"; kill -USR2 $talk
            done
            until_true sh -c '[ $(wc -l <.out) = 2 ]'
            kill -TERM $talk; wait $talk
            """, on: .pipeWire, in: scratch)
        #expect(outcome.status == 143 && outcome.error == "", "\(outcome.error)")
        let recordings = try Program.shell(
            "whisper-local transcribe --no-timestamps \"$CLIPS/say-01.wav\" \"$CLIPS/say-18.wav\"", in: scratch)
        #expect(outcome.output == recordings.output)
    }

    // MARK: In a terminal

    private func play(_ steps: [String], options: String = "") throws -> Program.Outcome {
        let words = steps.map { "'\($0)'" }.joined(separator: " ")
        return try Program.shell(
            "in-terminal 60 10 \(words) -- \(Self.talk) \(options)", in: scratch, environment: ["TERM": "xterm"])
    }

    @Test("a held space bar records until it is released, and q quits")
    func held() throws {
        let outcome = try play(["see:hold SPACE", "hold:3.1", "see:6 words", "see:idle", "send:q"], options: "--bell")
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.contains("\(Self.first)\r\n"))
        #expect(outcome.output.contains("\u{1b}[31m●") && outcome.output.contains("\u{1b}[32m✓"))
        #expect(outcome.output.count { $0 == "\u{7}" } == 2)
        #expect(!outcome.output.contains("\u{1b}[>11u"))
    }

    @Test("one tap starts and the next one stops; Escape discards")
    func tapped() throws {
        let outcome = try play([
            "see:hold SPACE", "send: ", "wait:3.1", "send: ", "see:6 words", "wait:1.2", "send: ", "wait:1",
            "send:\\x1b", "wait:0.5", "send:q",
        ])
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.contains("\(Self.first)\r\n") && !outcome.output.contains("Where did you put the"))
    }

    @Test("release reports are turned on in a terminal that supports them, and off at the end")
    func kitty() throws {
        let outcome = try play([
            "see:\\x1b[?u", "send:\\x1b[?0u", "see:\\x1b[>11u", "send:\\x1b[32;1:1u", "wait:3.1",
            "send:\\x1b[32;1:3u", "see:6 words", "send:\\x1b[113;1:1u",
        ])
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.contains("\(Self.first)\r\n"))
        #expect(outcome.output.contains("\u{1b}[<u"))
    }

    @Test(
        "the terminal is restored however the program ends",
        arguments: [("signal:SIGTERM", 143), ("signal:SIGSEGV", 70), ("send:\\x03", 0)])
    func restored(step: String, status: Int32) throws {
        let outcome = try play([
            "see:\\x1b[?u", "send:\\x1b[?0u", "see:\\x1b[>11u",
            step.replacingOccurrences(
                of: "send:\\x03", with: "send:\\x1b[99;5u"),
        ])
        #expect(outcome.status == status && outcome.error == "")
        #expect(outcome.output.contains("\u{1b}[<u"))
    }
}
