import Foundation
import Testing

/// `--speakers` as a user runs it.
@Suite("Speakers by voice")
struct SpeakersTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(script, in: scratch, environment: ["WHISPER_LOCAL_MODELS": RealVoices.models ?? ""])
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    private static let transcribe =
        "whisper-local transcribe -m ct2-tiny.en --beam-size 1 --temperature-increment-on-fallback 0 --guard false "
        + "--raw s16le:16000:1"

    @Test("without the networks --speakers says how to get them, before anything is transcribed")
    func missing() throws {
        let outcome = try Program.shell("whisper-local transcribe --speakers $CLIPS/say-00.wav", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 69, output: "",
                    error: """
                        error: --speakers needs speakers.safetensors, which is not installed
                        try: whisper-local models pull speakers

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

    @Test("every format names the speakers of a recording", .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func formats() throws {
        try RealVoices.writeConversation(to: scratch)
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
            ("tsv", "\tspeaker 3\t"), ("csv", ",\"Ben\",\""), ("lrc", "] [speaker 3] "),
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
        let plain = try run(Self.transcribe + " -q -f json -o plain talk.raw")
        struct Text: Decodable { let text: String }
        let text = try JSONDecoder().decode(Text.self, from: Data(content("plain/talk.json").utf8)).text
        #expect(plain.status == 0 && text == result.text, "timing the words changed the text")
        let turns = try content("talk.rttm").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(turns.count > 10 && turns.allSatisfy { $0.count == 10 && $0[0] == "SPEAKER" && $0[1] == "talk" })
        #expect(Set(turns.map { $0[7] }) == ["Anna_<A>", "Ben", "speaker_3"])
        #expect(turns.first?[7] == "Anna_<A>")
    }

    @Test(
        "an interrupted transcription goes on, and the speakers are those of the whole recording",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason), arguments: ["", " --batch-size 2"])
    func resumed(options: String) throws {
        try RealVoices.writeConversation(to: scratch)
        let outcome = try run(
            """
            for part in 1 2 3; do cat talk.raw; done > long.raw
            run="\(Self.transcribe) --threads 1 --condition-on-previous-text false\(options) --speakers -f json,srt,rttm"
            $run -o whole long.raw > whole.txt
            : > first.txt; $run -o out long.raw > first.txt & until [ -s first.txt ]; do sleep 0.01; done
            kill -TERM $!; wait $!; echo $?; test -e out/.long.resume || echo nothing to resume
            $run -o out long.raw > again.txt; echo $?
            cmp whole.txt again.txt; for kind in json srt rttm; do cmp whole/long.$kind out/long.$kind; done && echo same
            """)
        #expect(outcome.output == "143\n0\nsame\n", "\(outcome.error)")
        #expect(outcome.error.contains("continuing at "), "\(outcome.error)")
    }

    @Test(
        "the number of speakers may be given, and standard output names them",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func number() throws {
        try RealVoices.writeConversation(to: scratch, seconds: 25)
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
        "times count from the start of the recording with an offset; batches and any number of threads have the same turns",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func offset() throws {
        try RealVoices.writeConversation(to: scratch, seconds: 30)
        let outcome = try run(
            """
            \(Self.transcribe) -q --speakers -f rttm -o whole --offset 6.3 talk.raw
            \(Self.transcribe) -q --speakers -f rttm -o batch --offset 6.3 --batch-size 2 \
            --condition-on-previous-text false talk.raw
            for threads in 1 3; do
                \(Self.transcribe) -q --speakers -f rttm -o $threads --offset 6.3 --threads $threads talk.raw
                cmp whole/talk.rttm $threads/talk.rttm || exit
            done
            cmp whole/talk.rttm batch/talk.rttm && head -n 1 whole/talk.rttm
            """)
        #expect(outcome.status == 0 && outcome.error == "")
        let first = outcome.output.split(separator: " ").map(String.init)
        #expect(first.count == 10 && (6.3...7.5).contains(Double(first[3]) ?? 0))
    }

    @Test("silence has no speakers and is no error", .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func silence() throws {
        let outcome = try run(
            "head -c 320000 /dev/zero > talk.raw\n" + Self.transcribe + " --speakers -f rttm,txt talk.raw")
        #expect(outcome.status == 0 && outcome.output == "" && outcome.error.contains("no speech found"))
        #expect(try content("talk.rttm").isEmpty && content("talk.txt").isEmpty)
    }
}
