import Foundation
import Testing

@Suite("Memory")
struct MemoryTests {
    /// Kilobytes that the program held at most while it recognized so many minutes of the clips in a row.
    private func peak(minutes: Int) throws -> Int {
        let scratch = try Program.Scratch()
        let script = """
            python3 - "$CLIPS" \(minutes) <<'END'
            import glob, resource, subprocess, sys, wave
            clips = [wave.open(name).readframes(10**9) for name in sorted(glob.glob(sys.argv[1] + "/say-*.wav"))]
            with wave.open("long.wav", "wb") as out:
                out.setparams((1, 2, 16000, 0, "NONE", ""))
                left, turn = int(sys.argv[2]) * 60 * 32000, 0
                while left > 0:
                    part = clips[turn % len(clips)][:left]
                    out.writeframes(part)
                    left, turn = left - len(part), turn + 1
            subprocess.run(["whisper-local", "transcribe", "-q", "--beam-size", "1",
                "--temperature-increment-on-fallback", "0", "--condition-on-previous-text", "false",
                "-f", "json", "-o", ".", "long.wav"], check=True, stdout=subprocess.DEVNULL)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            END
            """
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        return try #require(Int(outcome.output.split(separator: "\n").last ?? ""))
    }

    @Test("sixty minutes need at most 20 MB more than five")
    func growth() throws {
        let short = try peak(minutes: 5), long = try peak(minutes: 60)
        #expect(long - short <= 20 * 1024, "\(short) KB, then \(long) KB")
    }
}
