import Foundation
import Testing

/// With as many threads as recordings, these are transcribed at the same time.
@Suite("Several recordings at a time")
struct SeveralRecordingsTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
    }

    @Test("all files, lines and their order are those of one at a time")
    func sameAsOneByOne() throws {
        let script = """
            cp "$CLIPS"/say-0[1-4].wav .
            head -c 20000 say-02.wav > cut.wav
            echo text > words.wav
            cp say-01.wav again.wav
            mkdir done; whisper-local transcribe -q -f txt,srt,json -o done say-03.wav
            for threads in 1 3; do
                cp -a done out$threads
                whisper-local transcribe -t $threads --skip-existing --report $threads.jsonl \\
                    -f txt,srt,json -o out$threads \\
                    say-04.wav cut.wav say-03.wav words.wav missing.wav say-01.wav say-02.wav again.wav \\
                    > $threads.text 2> $threads.messages
                echo $? >> $threads.messages
            done
            sed -i s/out3/out1/ 3.messages
            cmp 1.text 3.text && cmp 1.messages 3.messages && diff -r -x '.*' out1 out3 &&
                python3 -c 'import json, sys
            one, three = ([json.loads(line) for line in open(f"{n}.jsonl")] for n in (1, 3))
            for line in one + three: line.pop("seconds", None)
            sys.exit(one != three)'
            """
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
    }

    @Test("a signal stops all of them, and each keeps what it has")
    func interruption() throws {
        let script = """
            python3 - <<'END'
            import os, wave
            with wave.open(os.environ["CLIPS"] + "/say-00.wav") as clip:
                settings, samples = clip.getparams(), clip.readframes(10**9)
            for name in ("a.wav", "b.wav"):
                with wave.open(name, "wb") as out:
                    out.setparams(settings)
                    out.writeframes(samples * 300)
            END
            exec whisper-local transcribe -t 2 --no-timestamps -f txt -o out a.wav b.wav
            """
        let running = try Program.start(script, in: scratch)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 130)
        // The second one may have got to its first words or not.
        let said = outcome.error.split(separator: "\n").map {
            $0.hasPrefix("stopped at ") ? "stopped" : String($0)
        }.filter { $0 != "partial transcript: out/b.partial.txt" }
        #expect(said == ["a.wav:", "partial transcript: out/a.partial.txt", "stopped", "b.wav:", "stopped"])
    }

    @Test("a pipe is opened when the recordings before it are done")
    func pipe() throws {
        let script = """
            cp "$CLIPS"/say-0[12].wav .
            mkfifo later.wav
            (while [ ! -s out/say-01.txt ]; do sleep 0.05; done; cat say-02.wav > later.wav) &
            whisper-local transcribe -t 2 -q -f txt -o out say-01.wav later.wav &&
                whisper-local transcribe -q -f txt -o file say-02.wav && cmp out/later.txt file/say-02.txt
            """
        #expect(try Program.shell(script, in: scratch) == Program.Outcome(status: 0, output: "", error: ""))
    }
}
