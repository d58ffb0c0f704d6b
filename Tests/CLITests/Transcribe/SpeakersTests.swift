import Foundation
import Testing

/// `--speakers` as a user runs it.
@Suite("Speakers by voice")
struct SpeakersTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let models = variables["WHISPER_LOCAL_TEST_MODELS"].flatMap { folder in
        FileManager.default.isReadableFile(atPath: folder + "/speakers.safetensors") ? folder : nil
    }
    private static let speech = variables["WHISPER_LOCAL_TEST_SPEECH"].flatMap { folder in
        FileManager.default.isReadableFile(atPath: folder + "/ru/agent-pass.wav") ? folder : nil
    }
    private static let isInstalled = models != nil && speech != nil
    private static let reason: Comment = "by hand: models or recordings are not installed (scripts/setup.sh --tests)"

    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(script, in: scratch, environment: ["WHISPER_LOCAL_MODELS": Self.models ?? ""])
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    /// The conversation of three voices in the fixtures of the engine, as a file.
    private func makeConversation(seconds: Int = 54) throws {
        struct Recipe: Decodable {
            struct Clip: Decodable {
                let file: String
                let start: Double
            }
            let clips: [Clip]
        }
        let recipe = try JSONDecoder().decode(
            Recipe.self,
            from: Data(
                contentsOf: Fixtures.folder.deletingLastPathComponent()
                    .appending(path: "speakers/conversation.json")))
        var sums = [Int](repeating: 0, count: seconds * 16_000)
        for clip in recipe.clips {
            let data = try Data(contentsOf: URL(filePath: try #require(Self.speech)).appending(path: clip.file))
            let start = try #require(data.range(of: Data("data".utf8))).upperBound + 4
            for (index, offset) in stride(from: start, to: data.count - 1, by: 2).enumerated() {
                let sample = Int(clip.start * 16_000) + index
                guard sample < sums.count else { break }
                sums[sample] += Int(Int16(bitPattern: UInt16(data[offset]) | UInt16(data[offset + 1]) << 8))
            }
        }
        var samples = Data()
        for sum in sums {
            let bits = UInt16(bitPattern: Int16(max(-32768, min(32767, sum))))
            samples.append(contentsOf: [UInt8(bits & 255), UInt8(bits >> 8)])
        }
        try samples.write(to: scratch.url.appending(path: "talk.raw"))
    }

    private static let transcribe =
        "whisper-local transcribe -m ct2-tiny.en --beam-size 1 --temperature-increment-on-fallback 0 "
        + "--raw s16le:16000:1"

    @Test("without the networks --speakers says how to get them, before anything is transcribed")
    func missing() throws {
        let outcome = try Program.shell("whisper-local transcribe --speakers $CLIPS/say-00.wav", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 69, output: "",
                    error: """
                        error: speakers.safetensors is not installed, which --speakers needs
                        try: install it with scripts/install-models.sh speakers

                        """))
    }

    @Test("damaged networks are reported as such")
    func damaged() throws {
        let outcome = try Program.shell(
            """
            head -c 100 /dev/zero > speakers.safetensors
            WHISPER_LOCAL_MODELS=. whisper-local transcribe --speakers $CLIPS/say-00.wav
            """, in: scratch)
        #expect(outcome.status == 65 && outcome.output == "" && outcome.error.contains("speakers.safetensors"))
    }

    @Test("every format names the speakers of a recording", .enabled(if: isInstalled, reason))
    func formats() throws {
        try makeConversation()
        let outcome = try run(
            Self.transcribe + " -q --speakers --speaker-names 'Anna <A>,Ben' -f all -f rttm talk.raw")
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
        let names = ["Anna <A>", "Ben", "speaker 3"]
        let lines = try content("talk.txt").split(separator: "\n").map(String.init)
        #expect(lines.count >= 8 && lines.allSatisfy { line in names.contains { line.hasPrefix("[\($0)] ") } })
        #expect(lines.first?.hasPrefix("[Anna <A>] ") == true)
        for name in names { #expect(lines.contains { $0.hasPrefix("[\(name)] ") }) }
        for (name, part) in [
            ("srt", "\n[Ben] "), ("vtt", "\n<v Anna &lt;A&gt;>"), ("tsv", "start\tend\tspeaker\ttext\n"),
            ("tsv", "\tspeaker 3\t"), ("csv", ",\"Ben\",\" "), ("lrc", "] [speaker 3] "),
        ] {
            #expect(try content("talk.\(name)").contains(part), "\(name)")
        }
        struct Result: Decodable {
            struct Word: Decodable {
                let word: String
                let speaker: String
            }
            struct Segment: Decodable {
                let id: Int
                let text: String
                let speaker: String
                let words: [Word]
            }
            let text: String
            let segments: [Segment]
        }
        let result = try JSONDecoder().decode(Result.self, from: Data(content("talk.json").utf8))
        #expect(result.segments.map(\.id) == Array(result.segments.indices))
        for segment in result.segments {
            #expect(!segment.words.isEmpty && segment.words.allSatisfy { $0.speaker == segment.speaker })
            #expect(segment.words.map(\.word).joined() == segment.text)
        }
        #expect(result.segments.map(\.text).joined() == result.text)
        let turns = try content("talk.rttm").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(turns.count > 10 && turns.allSatisfy { $0.count == 10 && $0[0] == "SPEAKER" && $0[1] == "talk" })
        #expect(Set(turns.map { $0[7] }) == ["Anna_<A>", "Ben", "speaker_3"])
        #expect(turns.first?[7] == "Anna_<A>")
    }

    @Test("the number of speakers may be given, and standard output names them", .enabled(if: isInstalled, reason))
    func number() throws {
        try makeConversation(seconds: 25)
        let outcome = try run(Self.transcribe + " --no-timestamps --speakers 1 talk.raw")
        #expect(outcome.status == 0 && outcome.error == "")
        let lines = outcome.output.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("[speaker 1] ") })
        let pair = try run(Self.transcribe + " -q --speakers --max-speakers 2 -f rttm talk.raw")
        let turns = try content("talk.rttm").split(separator: "\n").map { $0.split(separator: " ")[7] }
        #expect(pair.status == 0 && Set(turns) == ["speaker_1", "speaker_2"])
        let colored = try run(Self.transcribe + " --no-timestamps --color always --speakers 1 talk.raw")
        #expect(
            colored.output
                == lines.map {
                    "\u{1b}[38;5;33m[speaker 1] \u{1b}[0m\($0.dropFirst(12))\n"
                }.joined())
    }

    @Test(
        "times count from the start of the recording with an offset, and batches have the same turns",
        .enabled(if: isInstalled, reason))
    func offset() throws {
        try makeConversation(seconds: 30)
        let outcome = try run(
            """
            \(Self.transcribe) -q --speakers -f rttm -o whole --offset 6.3 talk.raw
            \(Self.transcribe) -q --speakers -f rttm -o batch --offset 6.3 --batch-size 2 \
            --condition-on-previous-text false talk.raw
            cmp whole/talk.rttm batch/talk.rttm && head -n 1 whole/talk.rttm
            """)
        #expect(outcome.status == 0 && outcome.error == "")
        let first = outcome.output.split(separator: " ").map(String.init)
        #expect(first.count == 10 && (6.3...7.5).contains(Double(first[3]) ?? 0))
    }

    @Test("silence has no speakers and is no error", .enabled(if: isInstalled, reason))
    func silence() throws {
        let outcome = try run(
            "head -c 320000 /dev/zero > talk.raw\n" + Self.transcribe + " --speakers -f rttm,txt talk.raw")
        #expect(outcome.status == 0 && outcome.output == "" && outcome.error.contains("no speech found"))
        #expect(try content("talk.rttm").isEmpty && content("talk.txt").isEmpty)
    }
}
