import Foundation
import Testing

/// Devices from a configuration of its own: no server, no hardware, faster than real time.
@Suite("ALSA devices")
struct ALSAConfigurationTests {
    let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        try scratch.write("nothing.conf", "pcm.silence { type null }\n")
        try scratch.write(
            "file.conf",
            """
            </usr/share/alsa/alsa.conf>
            pcm.spoken { type file slave.pcm null file /dev/null infile \(scratch.url.path)/spoken.raw format raw }
            pcm.floats { type lfloat slave { pcm spoken format S16_LE } }
            pcm.hinted { type null hint { show on description "For tests" } }

            """)
    }

    func shell(_ script: String, configuration: String) throws -> Program.Outcome {
        try Program.shell(
            script, in: scratch, environment: ["ALSA_CONFIG_PATH": scratch.url.path + "/" + configuration])
    }

    @Test("a file as a device is captured bit for bit")
    func bits() throws {
        let samples = Self.samples(500_000)
        try Data(samples).write(to: scratch.url.appending(path: "spoken.raw"))
        let outcome = try shell(
            "timeout 60 capture-probe record --device spoken --samples 500000 --raw captured.raw",
            configuration: "file.conf")
        #expect(outcome == Program.Outcome(status: 0, output: "0 device spoken\n500000 signal end\n", error: ""))
        #expect(try Data(contentsOf: scratch.url.appending(path: "captured.raw")) == Data(samples))
    }

    @Test("a device without 16-bit samples is converted")
    func converted() throws {
        let samples = Self.samples(16_000)
        try Data(samples).write(to: scratch.url.appending(path: "spoken.raw"))
        let outcome = try shell(
            "timeout 60 capture-probe record --device floats --samples 8000 --raw captured.raw",
            configuration: "file.conf")
        #expect(outcome == Program.Outcome(status: 0, output: "0 device floats\n8000 signal end\n", error: ""))
        #expect(try Data(contentsOf: scratch.url.appending(path: "captured.raw")) == Data(samples.prefix(16_000)))
    }

    /// 16-bit samples of all values, as bytes.
    private static func samples(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { index -> [UInt8] in
            let word = UInt16(truncatingIfNeeded: index &* 40_503)
            return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        }
    }

    @Test("without any device, the error names the three that were tried")
    func none() throws {
        let outcome = try shell("timeout 60 capture-probe record", configuration: "nothing.conf")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.error == "error: no microphone found (tried default, pulse, pipewire)\n")
    }

    @Test(
        "an unknown device is reported with the existing ones",
        arguments: ["nonsense", "hw:9,9", "pulse:", "a b\u{1b}"])
    func unknown(name: String) throws {
        let outcome = try shell("timeout 60 capture-probe record --device '\(name)'", configuration: "nothing.conf")
        #expect(outcome.status == 1)
        let shown = ["a b\u{1b}": "$'a b\\x1b'"][name] ?? name
        #expect(outcome.error == "error: no such microphone: \(shown)\nknown: \n")
    }

    @Test("devices that are not microphones are hidden")
    func list() throws {
        let some = try shell("capture-probe list", configuration: "file.conf").output.split(separator: "\n")
        let all = try shell("capture-probe list --all", configuration: "file.conf").output.split(separator: "\n")
        #expect(some.contains("hinted\tFor tests"))
        #expect(!some.contains { $0.hasPrefix("null\t") })
        #expect(all.contains { $0.hasPrefix("null\t") })
        #expect(Set(some).isSubset(of: Set(all)))
    }

    @Test("commands without a microphone do not load the library")
    func lazy() throws {
        let outcome = try shell(
            """
            LD_DEBUG=libs whisper-local transcribe --no-timestamps "$CLIPS/say-18.wav" 2>loaded >text && test -s text &&
            grep -q 'libc\\.so' loaded && grep -c libasound loaded
            """,
            configuration: "file.conf")
        #expect(outcome.output == "0\n")
    }
}
