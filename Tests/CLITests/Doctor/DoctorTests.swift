import Foundation
import Testing

@Suite("Doctor")
struct DoctorTests {
    @Test("it shows version, processor, number formats, memory, libraries, devices, models and settings")
    func rows() throws {
        let scratch = try Program.Scratch()
        try scratch.write(".home/.local/share/whisper-local/models/ggml-tiny.bin", "x")
        let outcome = try Program.shell("whisper-local doctor", in: scratch)
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        let titles = outcome.output.split(separator: "\n").map { $0.prefix { $0 != " " } }.filter { !$0.isEmpty }
        #expect(
            titles == [
                "version", "processor", "formats", "memory", "libraries", "devices", "typing", "models", "searched",
                "config",
            ])
        for word in ["whisper-local 0.1.0", "OpenBLAS", "FFmpeg", "libcurl", "ALSA 1.", "nano.en  ", "tiny  "] {
            #expect(outcome.output.contains(word), "\(word)")
        }
    }

    @Test("it shows the number formats that the instruction set supports")
    func formats() throws {
        let environment = ["WHISPER_LOCAL_INSTRUCTION_SET": "baseline"]
        let outcome = try Program.shell("whisper-local doctor", in: Program.Scratch(), environment: environment)
        #expect(outcome.status == 0)
        for line in [
            "; kernels: float32 (SSE2)", "bfloat16: no fast kernels for this processor", "; kernels: int16 (SSE2)",
            "--compute-type auto is int16 here",
        ] {
            #expect(outcome.output.contains(line), "\(line)")
        }
    }

    @Test("it works with a broken config file and reports the error in it")
    func brokenConfig() throws {
        let scratch = try Program.Scratch()
        try scratch.write(".home/.config/whisper-local/config", "--beam-size=0\n")
        let outcome = try Program.shell("whisper-local doctor", in: scratch)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasSuffix("config, line 1: --beam-size: 0 is out of range\n"))
    }

    @Test("it works without a home")
    func noHome() throws {
        let outcome = try Program.shell(
            "whisper-local doctor", in: Program.Scratch(), environment: ["HOME": "", "XDG_CONFIG_HOME": "relative"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasSuffix("config     none: neither XDG_CONFIG_HOME nor HOME is an absolute path\n"))
    }

    @Test("--microphone shows the level, or why there is none")
    func microphone() throws {
        let scratch = try Program.Scratch()
        try scratch.write("nothing.conf", "pcm.silence { type null }\n")
        try scratch.write("silence.conf", "pcm.default { type null }\n")
        let folder = scratch.url.path
        let missing = try Program.shell(
            "whisper-local doctor --microphone", in: scratch,
            environment: ["ALSA_CONFIG_PATH": folder + "/nothing.conf"])
        #expect(missing.status == 0 && missing.error == "")
        #expect(missing.output.contains("\ndevices    none\n"))
        #expect(
            missing.output.hasSuffix("\nlevel      no microphone found (tried default, pulse, pipewire)\n"))
        let silence = try Program.shell(
            "whisper-local doctor --microphone", in: scratch,
            environment: ["ALSA_CONFIG_PATH": folder + "/silence.conf"])
        #expect(
            silence.output.hasSuffix(
                "\nlevel      default: -100.0 dBFS, peak -100.0 dBFS, no signal (muted?)\n"))
    }
}
