import Foundation
import Testing

@Suite("Live", .serialized)
struct LiveTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// Concatenates the samples of clips into a headerless file.
    private func makeSpeech(
        _ name: String = "talk.raw", clips: ClosedRange<Int> = 0...9, repeated count: Int = 1
    ) throws {
        let list = repeatElement(clips, count: count).joined()
            .map { String(format: "\"$CLIPS/say-%02d.wav\"", $0) }.joined(separator: " ")
        let made = try Program.shell("for f in \(list); do tail -c +45 $f; done > \(name)", in: scratch)
        #expect(made.status == 0)
    }

    private static func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test("JSON describes the session from start to end: finals in order, each volatile segment after them")
    func json() throws {
        try makeSpeech(clips: 0...2)
        let outcome = try Program.shell(
            "whisper-local live --json --speed 4 --raw s16le:16000:1 --file talk.raw", in: scratch)
        #expect(outcome.status == 0 && outcome.error == Program.greeting, "\(outcome.error)")
        let objects = try Self.objects(outcome.output)
        let first = try #require(objects.first), last = try #require(objects.last)
        #expect(first["type"] as? String == "session" && first["state"] as? String == "listening")
        #expect(first["model"] as? String == "nano.en" && first["sample_rate"] as? Int == 16_000)
        #expect(first["device"] is NSNull)
        var finals = 0
        var end = 0.0
        var text = ""
        for object in objects.dropFirst().dropLast() {
            switch object["type"] as? String {
            case "final", "volatile":
                guard let segment = object["segment"] as? [String: Any] else { continue }
                let isFinal = object["type"] as? String == "final"
                let start = try #require(segment["start"] as? Double)
                #expect(segment["id"] as? Int == finals && segment["final"] as? Bool == isFinal)
                #expect(start >= end && segment["session"] as? String == first["session"] as? String)
                guard isFinal else { continue }
                finals += 1
                end = try #require(segment["end"] as? Double)
                text += try #require(segment["text"] as? String)
                let words = try #require(segment["words"] as? [[String: Any]])
                #expect(words.compactMap { $0["word"] as? String }.joined() == segment["text"] as? String)
            case "status": #expect((object["lag"] as? Double ?? -1) >= 0)
            default: Issue.record("\(object)")
            }
        }
        #expect(finals > 0 && last["finals"] as? Int == finals && last["state"] as? String == "stopped")
        #expect(text.hasPrefix(" Turn the fan down to 5%."))
        let lines = try Program.shell(
            "whisper-local live --no-timestamps --speed max --raw s16le:16000:1 --file talk.raw", in: scratch)
        #expect(lines.output.contains("Turn the fan down to 5%.\n"))
    }

    @Test("Ctrl-C ends with status 0 after all captured speech has been printed")
    func stopped() throws {
        try makeSpeech()
        let running = try Program.start(
            "exec whisper-local live --no-timestamps --raw s16le:16000:1 --speed 2 --file talk.raw", in: scratch)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.error == Program.greeting)
        #expect(outcome.output.hasPrefix("Turn the fan down to 5%.\n"))
    }

    /// Slow enough that finishing can be interrupted.
    private static let slow = "--backend reference --threads 1"

    @Test(
        "a second Ctrl-C discards text that is not final, and a third one exits at once",
        arguments: [2, 3])
    func cancelled(times: Int) throws {
        // Minutes of speech, so that much is left to finish however late the signals come, and some of it captured.
        try makeSpeech(repeated: 10)
        let running = try Program.start(
            "exec whisper-local live --json --raw s16le:16000:1 --speed max \(Self.slow) --file talk.raw", in: scratch)
        #expect(running.wait { $0.contains(/"clock":\d\d/) })
        let start = ContinuousClock.now
        for _ in 0..<times {
            running.signal(SIGINT)
            usleep(times == 3 ? 100_000 : 300_000)
        }
        let outcome = try running.outcome()
        #expect(outcome.status == 130)
        #expect(ContinuousClock.now - start < .seconds(15))
        if times == 2 { #expect(outcome.output.contains("\"state\":\"stopped\"")) }
    }

    @Test(
        "after SIGTERM the program has five seconds to finish",
        arguments: [(slow, false), ("", true)] as [(String, Bool)])
    func terminated(option: String, finishes: Bool) throws {
        try makeSpeech(clips: finishes ? 0...0 : 0...9)
        // The audio continues until the signal comes.
        let running = try Program.start(
            "mkfifo pipe; { cat talk.raw; sleep 600; } > pipe & "
                + "exec whisper-local live --json --raw s16le:16000:1 \(option) - < pipe", in: scratch)
        // Nearly a minute of speech captured is too much to finish; with a final segment, nothing is left.
        #expect(running.wait { finishes ? $0.contains("\"type\":\"final\"") : $0.contains(/"clock":5\d/) })
        let start = ContinuousClock.now
        running.signal(SIGTERM)
        let outcome = try running.outcome()
        let elapsed = ContinuousClock.now - start
        #expect(outcome.status == 143)
        #expect(outcome.output.contains("\"state\":\"stopped\"") == finishes, "\(elapsed)")
        #expect(finishes ? elapsed < .seconds(5) : elapsed >= .seconds(5) && elapsed < .seconds(20))
    }

    @Test("a closed pipe ends the program with status 0, but a saved session continues")
    func closedPipe() throws {
        try makeSpeech()
        let command =
            "whisper-local live --no-timestamps --deterministic --raw s16le:16000:1 --speed max --file talk.raw"
        let alone = try Program.shell("{ \(command); echo $? >&2; } | head -n 1", in: scratch)
        #expect(alone.output == "Turn the fan down to 5%.\n" && alone.error == Program.greeting + "0\n")
        let kept = try Program.shell(
            "{ \(command) --session kept; echo $? >&2; } | head -n 1 > /dev/null; "
                + "whisper-local history show kept --no-timestamps", in: scratch)
        #expect(kept.error == Program.greeting + "0\n")
        let whole = try Program.shell(command, in: scratch)
        #expect(kept.output == whole.output && whole.output.split(separator: "\n").count > 10)
    }

    @Test("a second process cannot record a session; the error names the first")
    func busy() throws {
        try makeSpeech()
        let running = try Program.start(
            "exec whisper-local live --session talk --raw s16le:16000:1 --file talk.raw", in: scratch)
        #expect(running.waitForLine())
        let second = try Program.shell(
            "whisper-local live --session talk --file \"$CLIPS/say-01.wav\"", in: scratch, names: ".second")
        #expect(second.status == 75)
        #expect(
            second.error.hasPrefix("error: session talk is being recorded by process \(running.process)\n"),
            "\(second.error)")
        running.signal(SIGINT)
        #expect(try running.outcome().status == 0)
    }

    @Test("a deleted store is reported at the end, after all text has been printed")
    func lostStore() throws {
        try makeSpeech(clips: 0...2)
        let running = try Program.start(
            "exec whisper-local live --json --session talk --raw s16le:16000:1 --speed 2 --file talk.raw", in: scratch)
        #expect(running.waitForLine())
        try FileManager.default.removeItem(at: scratch.url.appending(path: ".home/.local/share/whisper-local"))
        let outcome = try running.outcome()
        #expect(outcome.status == 74, "\(outcome.error)")
        #expect(outcome.error.contains(" could not be stored: "))
        let finals = try Self.objects(outcome.output).filter { $0["type"] as? String == "final" }
        let text = finals.compactMap { ($0["segment"] as? [String: Any])?["text"] as? String }.joined()
        #expect(text.contains("Turn the fan down to 5%."))
    }

    @Test("a full output device ends the program with status 74")
    func full() throws {
        let outcome = try Program.shell(
            "whisper-local live --speed max --file \"$CLIPS/say-00.wav\" > /dev/full", in: scratch)
        #expect(outcome.status == 74)
        #expect(outcome.error.hasPrefix(Program.greeting + "error: cannot write to standard output: no space left\n"))
    }

    @Test("silence costs almost no processor time")
    func silence() throws {
        let outcome = try Program.shell(
            "head -c 640000 /dev/zero > silence.raw; "
                + "whisper-local live --quiet --raw s16le:16000:1 --file silence.raw; times", in: scratch)
        #expect(outcome.status == 0)
        // User and system time of the shell's children.
        let times = try #require(outcome.output.split(separator: "\n").last).split(separator: " ")
        let seconds = times.compactMap { time -> Double? in
            let parts = time.dropLast().split(separator: "m").compactMap { Double($0) }
            return parts.count == 2 ? 60 * parts[0] + parts[1] : nil
        }
        #expect(seconds.count == 2)
        // Twenty seconds of audio and one loaded model: about 0.6 s on an idle machine.
        #expect(seconds.reduce(0, +) < 2, "\(outcome.output)")
    }

    @Test("a missing signal, clipping and slow recognition cause warnings")
    func warnings() throws {
        let silent = try Program.shell(
            "head -c 400000 /dev/zero | whisper-local live --raw s16le:16000:1 -", in: scratch)
        #expect(silent.status == 0)
        #expect(silent.error == Program.greeting + "warning: no signal for 10 s: is the microphone muted?\n")
        let clipped = try Program.shell(
            "tail -c +45 \"$CLIPS/say-01.wav\" > a; python3 -c 'import sys; sys.stdout.buffer.write(bytes([255, 127]) * 4000)' >> a; "
                + "whisper-local live --no-timestamps --raw s16le:16000:1 - < a", in: scratch)
        #expect(clipped.output.hasPrefix("Open the garden door, please."))
        #expect(clipped.error == Program.greeting + "warning: the audio is clipped: turn the microphone down\n")
        try makeSpeech(clips: 0...3)
        let slow = try Program.start(
            "exec whisper-local live --raw s16le:16000:1 --speed 4 \(Self.slow) --file talk.raw", in: scratch)
        #expect(slow.waitForError { $0.contains("; a smaller model or a larger --step would keep up") })
        for _ in 0..<3 {
            slow.signal(SIGINT)
            usleep(100_000)
        }
        #expect(try slow.outcome().status == 130)
    }

    // MARK: The model

    @Test("the model is named at the start, and the demonstration's limits, whatever its file is called")
    func named() throws {
        let random = try Program.shell(
            "whisper-local live --model \"$MODELS/ggml-micro.en.bin\" --speed max --file \"$CLIPS/say-00.wav\"",
            in: scratch)
        #expect(random.status == 0 && random.error == "model: micro.en\n", "\(random.error)")
        let quiet = try Program.shell(
            "whisper-local live --quiet --speed max --file \"$CLIPS/say-00.wav\"", in: scratch)
        #expect(quiet.error == "")
        let renamed = try Program.shell(
            "cp \"$MODEL\" talk.bin; whisper-local live --model ./talk.bin --speed max --file \"$CLIPS/say-00.wav\"",
            in: scratch)
        #expect(renamed.error == Program.greeting.replacing("nano.en", with: "talk.bin"))
        // The default model is not explained twice.
        let byDefault = try Program.shell(
            "unset WHISPER_LOCAL_MODEL; whisper-local live --speed max --file \"$CLIPS/say-00.wav\"", in: scratch)
        #expect(byDefault.error == Program.greeting)
    }

    // MARK: Messages

    @Test("a full disk is reported at once with its cause, and again when there is room")
    func diskFull() throws {
        try makeSpeech()
        let running = try Program.start(
            "exec whisper-local live --no-timestamps --session talk --raw s16le:16000:1 --speed 4 --file talk.raw",
            in: scratch)
        #expect(running.waitForLine())
        // The log of the store is larger than the other files that the program writes.
        let limited = try Program.shell(
            "prlimit --pid \(running.process) --fsize=$(stat -c %s .home/.local/share/whisper-local/sessions.db-wal):",
            in: scratch, names: ".limit")
        #expect(limited.status == 0, "\(limited.error)")
        let store = "\(scratch.url.path)/.home/.local/share/whisper-local/sessions.db"
        let warning = """
            warning: final text cannot be saved: cannot write \(store): no space left on device; it is kept, and shown \
            as soon as it is saved (--show-unsaved shows it at once)

            """
        #expect(running.waitForError { $0.contains(warning) })
        let shown = running.outputSoFar
        _ = try Program.shell("prlimit --pid \(running.process) --fsize=unlimited:", in: scratch, names: ".limit")
        #expect(running.waitForError { $0.hasSuffix("all final text is saved again\n") })
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.hasPrefix(shown) && outcome.output.count > shown.count)
        let stored = try Program.shell("whisper-local history show talk --no-timestamps", in: scratch)
        #expect(stored.output == outcome.output)
    }

    @Test("a background job that ignores Ctrl-C says how to stop it")
    func background() throws {
        try makeSpeech()
        // Without job control, a shell starts background jobs with SIGINT ignored.
        let running = try Program.start(
            "whisper-local live --no-timestamps --raw s16le:16000:1 --speed 2 --file talk.raw & echo $! > pid; wait $!",
            in: scratch)
        #expect(running.waitForLine())
        let process = try String(contentsOf: scratch.url.appending(path: "pid"), encoding: .utf8)
        #expect(
            running.waitForError { $0 == Program.greeting + "this job ignores Ctrl-C; to stop it: kill \(process)" })
        kill(try #require(pid_t(process.dropLast())), SIGTERM)
        let outcome = try running.outcome()
        #expect(outcome.status == 143 && outcome.output.hasPrefix("Turn the fan down to 5%.\n"))
    }
}
