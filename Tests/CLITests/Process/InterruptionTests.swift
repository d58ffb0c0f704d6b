import Foundation
import Testing

/// Signals, suspension and crashes while a file is being written or a model is being loaded.
@Suite("Interruptions", .serialized)
struct InterruptionTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        _ = try Program.shell("cp \"$CLIPS/say-01.wav\" note.wav", in: scratch)
    }

    private static let text = "Open the garden door, please.\n"

    /// Hangs in the middle of writing `out/note.txt`.
    private static let stuck = """
        FAULT_PATH=note.txt. FAULT_FSYNC=hang LD_PRELOAD=$FAULTS exec whisper-local transcribe -q -f txt -o out note.wav
        """

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: scratch.url.path + "/out")) ?? [])
            .filter { !$0.hasSuffix(".stamp") && !$0.hasSuffix(".resume") }.sorted()
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: "out/\(name)"), encoding: .utf8)
    }

    private func waitForTemporary() -> Bool {
        for _ in 0..<1000 {
            if files.contains(where: { $0.hasPrefix(".note.txt.") && $0.hasSuffix(".tmp") }) { return true }
            usleep(10_000)
        }
        return false
    }

    @Test("a file that a killed run was writing never appears under its name, and the next run removes it")
    func killed() throws {
        try scratch.write("out/note.txt", "old\n")
        try scratch.write("out/.other.txt.1.abc.tmp", "another file's")
        let running = try Program.start(Self.stuck, in: scratch)
        #expect(waitForTemporary())
        running.signal(SIGKILL)
        #expect(try running.outcome().status == 137)
        #expect(try content("note.txt") == "old\n")
        #expect(files.contains { $0.hasPrefix(".note.txt.\(running.process).") })
        #expect(try Program.shell("whisper-local transcribe -q -f txt -o out note.wav", in: scratch).status == 0)
        #expect(try content("note.txt") == Self.text)
        #expect(files == [".other.txt.1.abc.tmp", "note.txt"])
    }

    @Test("a second signal while a file is being written removes the temporary file and keeps the old one")
    func twice() throws {
        try scratch.write("out/note.txt", "old\n")
        let running = try Program.start(Self.stuck, in: scratch)
        #expect(waitForTemporary())
        running.signal(SIGINT)
        usleep(50_000)
        running.signal(SIGINT)
        #expect(try running.outcome().status == 130)
        #expect(files == ["note.txt"])
        #expect(try content("note.txt") == "old\n")
    }

    @Test(
        "a signal while the model is loading ends the program within 0.2 s",
        arguments: ["transcribe -m ./tall.bin --language de note.wav", "bench -m ./tall.bin"])
    func loading(command: String) throws {
        // 512 layers take most of a second to load.
        let made = try Program.shell(
            "python3 \"$FIXTURES/model.py\" \"$MODELS/ggml-micro-v3.bin\" tall.bin 256 256", in: scratch)
        #expect(made.status == 0, "\(made.error)")
        var delays: [Duration] = []
        for _ in 0..<3 {
            let running = try Program.start("exec whisper-local \(command)", in: scratch)
            #expect(running.waitForHandlers())
            usleep(50_000)
            let start = ContinuousClock.now
            running.signal(SIGINT)
            let outcome = try running.outcome()
            delays.append(ContinuousClock.now - start)
            #expect(outcome == Program.Outcome(status: 130, output: "", error: ""))
        }
        // Other tests use the same cores, so one of three attempts must succeed.
        #expect(try #require(delays.min()) < .milliseconds(200))
    }

    @Test("a suspended run resumes with the same text and plausible figures")
    func stopped() throws {
        let outcome = try Program.shell(
            """
            cat > run.bash <<'END'
            set -m
            whisper-local transcribe -v --no-timestamps --beam-size 100 "$CLIPS/say-00.wav" & sleep 0.1
            kill -TSTP $!; sleep 0.3; grep -o '^State:.[A-Z]' /proc/$!/status; kill -CONT $!
            wait -f $!
            END
            bash run.bash
            """, in: scratch)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("State:\tT\n"))
        #expect(outcome.output.hasSuffix("Turn the fan down to 5%.\nWhere did you put the short chair?\n"))
        let figures = try #require(outcome.error.split(separator: "\n").last)
        #expect(figures.hasPrefix("0:05 in ") && figures.hasSuffix(" times real time"))
    }

    @Test(
        "a crash ends with status 70 and says how to report it",
        arguments: [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS])
    func crash(signal: Int32) throws {
        let running = try Program.start("mkfifo pipe; exec whisper-local transcribe pipe", in: scratch)
        #expect(running.waitForHandlers())
        usleep(50_000)
        running.signal(signal)
        let outcome = try running.outcome(resending: signal)
        #expect(outcome.status == 70)
        #expect(
            outcome.error == """
                error: internal error in version 0.1.0: a check failed
                try: report this line with the command and the output of `whisper-local doctor`

                """)
    }

    @Test("a failed check in the engine keeps the final segments, in valid files")
    func failedCheck() throws {
        let outcome = try Program.shell(
            """
            cat "$CLIPS"/say-*.wav > long.raw
            FAULT_TEXT=4 LD_PRELOAD=$FAULTS whisper-local transcribe --raw s16le:16000:1 --beam-size 1 -f txt,json -o out long.raw
            echo $?
            """, in: scratch)
        let printed = outcome.output.split(separator: "\n")
        #expect(printed.last == "70")
        #expect(outcome.error.hasPrefix("error: internal error in version 0.1.0: a check failed\n"))
        #expect(
            outcome.error.hasSuffix(
                "partial transcript: out/long.partial.txt\npartial transcript: out/long.partial.json\n"))
        #expect(files == ["long.partial.json", "long.partial.txt"])
        let lines = printed.dropLast().map { $0.drop { $0 != "]" }.dropFirst(3) }
        #expect(lines.count > 1)
        #expect(try content("long.partial.txt") == lines.joined(separator: "\n") + "\n")
        let json = try JSONSerialization.jsonObject(with: Data(content("long.partial.json").utf8)) as? [String: Any]
        #expect((json?["segments"] as? [Any])?.count == lines.count)
    }
}
