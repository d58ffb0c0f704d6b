import Foundation
import Testing
import WhisperCommands

/// `dictate` with a recording that plays during a press and pauses between presses.
@Suite("Dictate", .serialized)
struct DictateTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private static let talk = "whisper-local dictate --file \"$CLIPS/say-00.wav\""
    private static let greeting = Program.keysMissing + Program.greeting
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

    /// The runtime folder of the test.
    private var runtime: [String: String] { ["XDG_RUNTIME_DIR": scratch.url.path + "/run"] }

    /// Whether `dictate` can be reached.
    private var isListening: Bool {
        FileManager.default.fileExists(atPath: scratch.url.path + "/run/whisper-local/dictate.sock")
    }

    /// Starts the program and waits until it is ready for signals.
    private func start(_ options: String = "", environment: [String: String] = [:]) throws -> Program.Running {
        let running = try Program.start(
            "exec \(Self.talk) \(options)", in: scratch, environment: environment.merging(runtime) { $1 })
        #expect(wait { isListening } && running.waitForHandlers())
        return running
    }

    /// Runs `dictate` with a verb.
    private func ask(_ words: String) throws -> Program.Outcome {
        try Program.shell("whisper-local dictate \(words)", in: scratch, environment: runtime, names: ".ask")
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
        #expect(
            outcome == Program.Outcome(status: 0, output: "\(Self.first)\n\(Self.second)\n", error: Self.greeting))
        #expect(!isListening && file("run/whisper-local/dictate.lock") == "")
    }

    @Test("an accidental press and a cancelled recording print nothing")
    func nothing() throws {
        let running = try start()
        press(running, seconds: 0.03)
        usleep(300_000)
        // Long enough for text, had it not been cancelled.
        running.signal(SIGUSR1)
        usleep(3_100_000)
        #expect(try ask("cancel").status == 0)
        usleep(300_000)
        running.signal(SIGTERM)
        let outcome = try running.outcome()
        #expect(outcome == Program.Outcome(status: 143, output: "", error: Self.greeting))
    }

    @Test("without a terminal and a runtime folder, it says which signals record")
    func keyless() throws {
        let running = try Program.start("exec \(Self.talk)", in: scratch)
        #expect(
            running.waitForError {
                $0.hasPrefix(
                    "no keys can be read here; to record: kill -USR1 \(running.process), and to end it: "
                        + "kill -USR2 \(running.process)\n")
            })
        #expect(running.waitForHandlers())
        running.signal(SIGTERM)
        #expect(try running.outcome().status == 143)
    }

    @Test("with --toggle the same signal starts and stops")
    func toggled() throws {
        let running = try start("--toggle --append")
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGUSR1)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        #expect(
            try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first) \n", error: Self.greeting))
    }

    @Test("SIGTERM during a recording still delivers its text")
    func terminated() throws {
        let running = try start()
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGTERM)
        #expect(
            try running.outcome() == Program.Outcome(status: 143, output: "\(Self.first)\n", error: Self.greeting))
    }

    @Test("the text is passed to a command's standard input without a shell")
    func delivered() throws {
        let running = try start("--deliver \"tee 'got \\$HOME'\"")
        press(running)
        #expect(wait { file("got $HOME") == Self.first })
        running.signal(SIGINT)
        #expect(try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first)\n", error: Self.greeting))
    }

    @Test(
        "a failed delivery is reported, and the text is still printed",
        arguments: [
            ("--deliver 'sleep 30'", "warning: sleep took longer than 2 s and was killed\n"),
            ("--deliver false", "warning: false failed with exit status 1\n"),
        ])
    func failed(option: String, message: String) throws {
        let running = try start(option)
        press(running)
        #expect(running.waitForLine())
        #expect(running.waitForError { $0 == Self.greeting + message })
        running.signal(SIGINT)
        #expect(
            try running.outcome()
                == Program.Outcome(status: 0, output: "\(Self.first)\n", error: Self.greeting + message))
    }

    @Test(
        "a program of --deliver that does not exist is reported at once",
        arguments: ["no-such-program", "./folder", "./text", "none/x -a"])
    func missingProgram(command: String) throws {
        try scratch.write("text", "not executable")
        let outcome = try Program.shell("mkdir folder; \(Self.talk) --deliver '\(command)'", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 69, output: "",
                    error: "error: --deliver: '\(command.split(separator: " ")[0])' is not installed\n"
                        + "try: install it, or use --deliver with another program\n"))
        #expect(!isListening)
    }

    private func isRunning(_ process: String) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process.dropLast())/status", encoding: .utf8)
        return status?.contains("State:\tZ") == false
    }

    @Test("with a delivery that takes too long, everything that it has started is killed, also in another session")
    func killed() throws {
        try scratch.write(
            "slow",
            """
            #!/bin/sh
            sleep 300 & echo $! >child
            (setsid sh -c 'echo $$ >daemon.new; mv daemon.new daemon; exec sleep 300' &)
            exec setsid --wait sleep 300
            """)
        _ = try Program.shell("chmod +x slow", in: scratch, names: ".first")
        let running = try start("--deliver ./slow")
        press(running)
        #expect(running.waitForError { $0.hasSuffix("warning: ./slow took longer than 2 s and was killed\n") })
        for name in ["child", "daemon"] { #expect(file(name) != "" && !isRunning(file(name)), "\(name)") }
        running.signal(SIGINT)
        #expect(try running.outcome().status == 0)
    }

    @Test("what a delivery leaves running, such as the keeper of a clipboard, survives it and a later one that fails")
    func keeper() throws {
        try scratch.write(
            "keep",
            """
            #!/bin/sh
            if [ -e keeper ]; then exec sleep 300; fi
            setsid sleep 300 >&- 2>&- <&- & echo $! >keeper
            """)
        _ = try Program.shell("chmod +x keep", in: scratch, names: ".first")
        let running = try start("--deliver ./keep")
        press(running)
        #expect(running.waitForLine() && wait { file("keeper").hasSuffix("\n") })
        press(running, seconds: 2.6)
        #expect(running.waitForError { $0.hasSuffix("warning: ./keep took longer than 2 s and was killed\n") })
        #expect(isRunning(file("keeper")))
        if let keeper = Int32(file("keeper").dropLast()) { kill(keeper, SIGKILL) }
        running.signal(SIGINT)
        #expect(try running.outcome().status == 0)
    }

    @Test(
        "a press before the program is ready starts the recording as soon as it is, and one at the very end does not kill it"
    )
    func early() throws {
        let running = try Program.start("exec \(Self.talk)", in: scratch, environment: runtime)
        #expect(running.waitForHandlers())
        running.signal(SIGUSR1)
        #expect(wait { isListening })
        usleep(3_200_000)
        running.signal(SIGUSR2)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        while !running.isOver {
            running.signal(SIGUSR1)
            usleep(500)
        }
        #expect(try running.outcome() == Program.Outcome(status: 0, output: "\(Self.first)\n", error: Self.greeting))
    }

    @Test("--copy uses the first clipboard program that is installed")
    func copied() throws {
        try scratch.write("bin/xclip", "#!/bin/sh\ncat > \"$HOME-xclip\"\n")
        _ = try Program.shell("chmod +x bin/xclip", in: scratch)
        let running = try start(
            "--copy",
            environment: [
                "DISPLAY": ":9",
                "PATH": "\(scratch.url.path)/bin:\(Program.folder):/usr/bin:/bin",
            ])
        press(running)
        #expect(wait { file(".home-xclip") == Self.first })
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
            whisper-local dictate --device pipewire --no-sounds & talk=$!
            until_true recorded
            for clip in say-01 say-18; do
                sleep 1; whisper-local dictate start; play mic "$CLIPS/$clip.wav"; whisper-local dictate stop
            done
            until_true sh -c '[ $(wc -l <.out) = 2 ]'
            kill -TERM $talk; wait $talk
            """, on: .pipeWire, in: scratch)
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(
            outcome.error.replacing(/kill \d+/, with: "kill NUMBER") == Self.greeting
                + "this job ignores Ctrl-C; to stop it: kill NUMBER\n")
        let recordings = try Program.shell(
            "whisper-local transcribe --no-timestamps \"$CLIPS/say-01.wav\" \"$CLIPS/say-18.wav\"", in: scratch)
        #expect(outcome.output == recordings.output)
    }

    @Test(
        "a sound says that a recording has started, and another one that it has ended; --no-sounds plays none",
        .enabled(if: NullMicrophone.hasPulseAudio, "PulseAudio does not start here"))
    func sounds() async throws {
        let outcome = try await NullMicrophone.run(
            """
            microphone mic
            record captured
            until_true reported captured device
            for option in --sounds --no-sounds; do
                whisper-local dictate --file "$CLIPS/say-01.wav" ${option#--sounds} 2>/dev/null & talk=$!
                until_true test -S run/whisper-local/dictate.sock
                for verb in start stop start cancel quit; do whisper-local dictate $verb; sleep 0.2; done
                wait $talk
            done
            sleep 0.5
            finish
            """, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        let capture = try NullMicrophone.Capture("captured", in: scratch)
        let heard = [DictateSounds.started, .ended].map { sound in
            capture.count(
                of: Data(sound.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }))
        }
        // The second recording is discarded.
        #expect(heard == [2, 1])
    }

    @Test("silence after a loud sound is not taken for a muted microphone, silence alone is")
    func muted() throws {
        // A click is too short to be speech.
        _ = try Program.shell(
            "python3 -c 'import sys; sys.stdout.buffer.write(b\"\\xff\\x3f\\x01\\xc0\" * 160 + bytes(400000))' > sound.raw",
            in: scratch)
        let running = try Program.start(
            "exec whisper-local dictate --raw s16le:16000:1 --file sound.raw", in: scratch, environment: runtime)
        #expect(wait { isListening } && running.waitForHandlers())
        press(running, seconds: 4.5)
        // Both presses end in silence of more than three seconds.
        usleep(500_000)
        press(running, seconds: 3.5)
        #expect(running.waitForError { $0.contains("no signal") })
        running.signal(SIGINT)
        #expect(
            try running.outcome().error == Self.greeting + "warning: no signal; is the microphone muted?\n")
    }

    @Test("a text that cannot be saved is delivered all the same, and the reason is reported")
    func unsaved() throws {
        let running = try start("--session notes --deliver 'tee got'")
        let limited = try Program.shell(
            "prlimit --pid \(running.process) --fsize=$(stat -c %s .home/.local/share/whisper-local/sessions.db-wal):",
            in: scratch, names: ".limit")
        #expect(limited.status == 0, "\(limited.error)")
        press(running)
        #expect(wait { file("got") == Self.first })
        #expect(running.waitForError { $0.contains("could not be stored: cannot write ") })
        _ = try Program.shell("prlimit --pid \(running.process) --fsize=unlimited:", in: scratch, names: ".limit")
        running.signal(SIGINT)
        #expect(try running.outcome().output == "\(Self.first)\n")
    }

    // MARK: In a terminal

    private func play(
        _ steps: [String], options: String = "", environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        let words = steps.map { "'\($0)'" }.joined(separator: " ")
        return try Program.shell(
            "in-terminal 60 10 \(words) -- \(Self.talk) \(options)", in: scratch,
            environment: ["TERM": "xterm"].merging(environment) { $1 })
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

    @Test("a held key whose repeats arrive 0.4 s apart makes one recording")
    func slowRepeats() throws {
        let outcome = try play(["see:hold SPACE", "hold:3.1:0.4", "see:6 words", "see:idle", "send:q"])
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.contains("\(Self.first)\r\n"))
    }

    @Test("if the text goes elsewhere, the status line shows what was delivered")
    func deliveredText() throws {
        let outcome = try play(
            ["see:hold SPACE", "hold:3.1", "see:6 words", "see:\(Self.first)", "see:idle", "send:q"],
            options: "--deliver \"tee got\"", environment: ["KEEP_OUTPUT": "1"])
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        #expect(file("got") == Self.first)
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

    @Test("Ctrl-C delivers what is being said, and dictate goes on; q delivers it, too, and quits")
    func interrupted() throws {
        let outcome = try play([
            "see:hold SPACE", "send: ", "wait:3.1", "send:\\x03", "see:6 words", "see:idle", "send: ", "wait:2.6",
            "send:q",
        ])
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.contains("\(Self.first)\r\n") && outcome.output.contains("\(Self.second)\r\n"))
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
