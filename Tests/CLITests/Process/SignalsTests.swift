import Foundation
import Testing

@Suite("Signals", .serialized)
struct SignalsTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        // Five minutes of samples: the clips, headers included, several times over.
        _ = try Program.shell("for i in 1 2 3 4; do cat \"$CLIPS\"/say-*.wav; done > long.raw", in: scratch)
    }

    private static let slow =
        "exec whisper-local transcribe --raw s16le:16000:1 --beam-size 8 -f srt,txt -o out long.raw"

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: scratch.url.path + "/out")) ?? [])
            .filter { !$0.hasSuffix(".stamp") && !$0.hasSuffix(".resume") }.sorted()
    }

    @Test(
        "one signal stops the work at the next token and keeps the final segments",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func once(number: Int32, status: Int32) throws {
        let running = try Program.start(Self.slow, in: scratch)
        #expect(running.waitForLine())
        let start = ContinuousClock.now
        running.signal(number)
        let outcome = try running.outcome()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(outcome.status == status)
        #expect(outcome.error.contains("stopped at "))
        #expect(files == ["long.partial.srt", "long.partial.txt"])
        let kept = try String(contentsOf: scratch.url.appending(path: "out/long.partial.txt"), encoding: .utf8)
        let printed = outcome.output.split(separator: "\n").map { $0.drop { $0 != "]" }.dropFirst(3) }
        #expect(kept == printed.joined(separator: "\n") + "\n")
    }

    @Test("a second signal ends the program at once and leaves no temporary files")
    func twice() throws {
        let running = try Program.start(Self.slow, in: scratch)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        running.signal(SIGTERM)
        #expect(try running.outcome().status == 130)
        #expect(files.filter { $0.hasPrefix(".") } == [])
    }

    @Test(
        "every other fatal signal ends the program without leaving a lock or a partial file",
        arguments: [SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXCPU, SIGUSR1, SIGUSR2, SIGPWR])
    func others(number: Int32) throws {
        try scratch.write("out/long.txt", "old")
        let running = try Program.start("ulimit -c 0; \(Self.slow)", in: scratch)
        #expect(running.waitForLine())
        #expect(files == [".long.srt.lock", ".long.txt.lock", "long.txt"])
        running.signal(number)
        let outcome = try running.outcome()
        #expect(outcome.status == 128 + number && outcome.error == "", "\(outcome.error)")
        #expect(files == ["long.txt"])
    }

    @Test("a run fails if another one is writing the same files, and works if they differ")
    func busy() throws {
        let running = try Program.start(Self.slow, in: scratch)
        #expect(running.waitForLine())
        let second = try Program.shell(
            "whisper-local transcribe --raw s16le:16000:1 -f srt -o out long.raw", in: scratch, names: ".second")
        #expect(second.status == 75)
        #expect(second.error.hasPrefix("error: out/long.srt is being written by process \(running.process)\n"))
        let other = try Program.shell(
            "whisper-local transcribe -q -f txt -o out \"$CLIPS/say-01.wav\"", in: scratch, names: ".third")
        #expect(other.status == 0)
        running.signal(SIGTERM)
        #expect(try running.outcome().status == 143)
    }

    @Test("the next successful run removes the partial files of an interrupted one")
    func success() throws {
        try scratch.write("out/note.partial.txt", "old")
        let outcome = try Program.shell(
            "cp \"$CLIPS/say-01.wav\" note.wav; whisper-local transcribe -f txt -o out note.wav", in: scratch)
        #expect(outcome.status == 0)
        #expect(files == ["note.txt"])
    }

    @Test("before there are results to keep, one signal ends the program within 0.5 s")
    func waiting() throws {
        let running = try Program.start("mkfifo pipe; exec whisper-local transcribe pipe", in: scratch)
        usleep(400_000)
        let start = ContinuousClock.now
        running.signal(SIGINT)
        #expect(try running.outcome().status == 130)
        #expect(ContinuousClock.now - start < .milliseconds(500))
    }

    @Test("a stalled pipe does not delay the end")
    func stalled() throws {
        let running = try Program.start(
            """
            mkfifo pipe; { head -c 20000 "$CLIPS/say-00.wav"; sleep 8; } > pipe &
            exec whisper-local transcribe pipe
            """, in: scratch)
        usleep(1_000_000)
        let start = ContinuousClock.now
        running.signal(SIGINT)
        #expect(try running.outcome().status == 130)
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test("SIGHUP is ignored under nohup")
    func nohup() throws {
        let running = try Program.start(
            "trap '' HUP; exec whisper-local transcribe --no-timestamps \"$CLIPS/say-00.wav\"", in: scratch)
        usleep(100_000)
        running.signal(SIGHUP)
        let outcome = try running.outcome()
        #expect(outcome.status == 0)
        #expect(outcome.output == "Turn the fan down to 5%.\nWhere did you put the short chair?\n")
    }
}
