import Foundation
import Testing

/// `--guard` as a user runs it: ten seconds of a tone, in which tiny.en invents a word.
@Suite("Invented text")
struct GuardTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        var tone = Data()
        for index in 0..<160_000 {
            let bits = UInt16(bitPattern: Int16(6000 * sin(2 * .pi * 440 * Double(index) / 16_000)))
            tone.append(contentsOf: [UInt8(bits & 255), UInt8(bits >> 8)])
        }
        try tone.write(to: scratch.url.appending(path: "tone.raw"))
    }

    private func run(_ options: String, hasNetwork: Bool = true) throws -> Program.Outcome {
        let models = try #require(RealVoices.models)
        return try Program.shell(
            "whisper-local transcribe -m \(models)/ct2-tiny.en --compute-type float32 --beam-size 1 "
                + "--temperature-increment-on-fallback 0 --raw s16le:16000:1 \(options) tone.raw",
            in: scratch, environment: ["WHISPER_LOCAL_MODELS": hasNetwork ? models : ""])
    }

    @Test(
        "with the Silero network nothing is invented, unless --guard is off",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func isDefault() throws {
        let nothing = Program.Outcome(status: 0, output: "", error: "warning: tone.raw: no speech found\n")
        #expect(try run("") == nothing)
        #expect(try run("--vad-filter") == nothing)
        let invented = try run("--guard false")
        #expect(invented.status == 0 && invented.output.hasPrefix("[00:00.000"))
        #expect(try run("", hasNetwork: false) == invented)
        #expect(try run("--preset openai-whisper") == invented)
        #expect(try run("--guard true --preset openai-whisper") == nothing)
    }

    @Test(
        "detector options apply to the guards, and are reported or rejected where they have no effect",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func detectorOptions() throws {
        #expect(try run("--vad-threshold 0").output.isEmpty == false)
        #expect(try run("--vad-threshold 0.4", hasNetwork: false).error.contains("--vad-threshold has no effect"))
        #expect(try run("--guard false --vad-threshold 0.4").status == 64)
        #expect(try run("--vad-model energy").status == 64)
    }

    @Test(
        "a second speaker who is 32 dB quieter is not lost",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func quietSpeaker() throws {
        let speech = try #require(RealVoices.speech), models = try #require(RealVoices.models)
        // The second one is quiet; base skips it.
        let prompts = ["conf-onlyperson", "conf-invalid", "confbridge-begin-glorious-a"]
        let inputs = prompts.map { "-i \(speech)/en/\($0).wav" }
        let filters = [0, -32, 0].enumerated().map { "[\($0)]volume=\($1)dB,apad=pad_dur=1.5[part\($0)]" }
        let outcome = try Program.shell(
            "ffmpeg -v error \(inputs.joined(separator: " ")) -filter_complex "
                + "'\(filters.joined(separator: ";"));[part0][part1][part2]concat=n=3:v=0:a=1' mixed.wav "
                + "&& whisper-local transcribe -m \(models)/ggml-base.bin -l en mixed.wav",
            in: scratch, environment: ["WHISPER_LOCAL_MODELS": models])
        for words in ["person in this conference", "not a valid conference number", "glorious leader"] {
            #expect(outcome.output.contains(words), "\(outcome)")
        }
    }
}
