import Foundation
import Testing

@Suite("Interrupted reading")
struct InterruptedReadingTests {
    /// One channel is read by the built-in WAV reader, two channels by FFmpeg if it is built in.
    @Test(
        "if a file shrinks while it is read, the text so far is saved and the position is reported",
        arguments: [1, 2])
    func shrinking(channels: Int) throws {
        let scratch = try Program.Scratch()
        let script = """
            odd-sound speech-then-silence hours=8 channels=\(channels) > long.wav
            python3 - <<'END'
            import os, subprocess, sys, time
            child = subprocess.Popen(["whisper-local", "transcribe", "--no-timestamps", "-f", "txt", "-o", "out", "long.wav"])
            def is_open():
                folder = f"/proc/{child.pid}/fd/"
                try:
                    return any(os.readlink(folder + name).endswith("/long.wav") for name in os.listdir(folder))
                except OSError:
                    return False
            while child.poll() is None and not is_open():
                pass
            time.sleep(0.01)
            os.truncate("long.wav", 640044)
            sys.exit(child.wait())
            END
            """
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome.status == 74)
        #expect(outcome.output.hasPrefix("Turn the fan down to 5%.\n"))
        let said = outcome.error.split(separator: "\n")
        #expect(said.first == "partial transcript: out/long.partial.txt")
        #expect(said.dropFirst().first?.hasPrefix("error: read error at byte ") == true, "\(outcome.error)")
        #expect(said.dropFirst().first?.hasSuffix(" of \(44 + 8 * 3600 * 32000 * channels): long.wav") == true)
        #expect(said.last?.hasPrefix("try: ") == true)
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path + "/out")
        #expect(files.filter { !$0.hasPrefix(".") } == ["long.partial.txt"])
        let kept = try String(contentsOf: scratch.url.appending(path: "out/long.partial.txt"), encoding: .utf8)
        #expect(kept == outcome.output)
    }
}
