import Foundation
import TestModels
import Testing

/// The program with a family of models that has nothing in common with Whisper: `ScriptedModel`, which hears the words hidden
/// in a conversation of three people.
@Suite("A second family of models in the program")
struct SecondFamilyTests {
    private let scratch: Program.Scratch
    private let words: [ScriptedSpeech.Word]

    init() throws {
        scratch = try Program.Scratch()
        try scratch.write(
            "words.model",
            "\(ScriptedModel.header)\nde en\n\((0..<ScriptedSpeech.maxWords).map { "w\($0)" }.joined(separator: " "))\n"
        )
        // One word in a second of a conversation that never pauses for long.
        words = (0..<40).map { second in
            let start = second * 16_000 + 4_000
            return ScriptedSpeech.Word(index: second, range: start..<(start + 6_400))
        }
    }

    private var text: String { words.map { "w\($0.index)" }.joined(separator: " ") }

    /// Hides the words in `talk.raw`.
    private func writeConversation() throws {
        try RealVoices.writeConversation(to: scratch, seconds: 41)
        let file = scratch.url.appending(path: "talk.raw")
        let data = try Data(contentsOf: file)
        let samples = stride(from: 0, to: data.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8)
        }
        let hidden = ScriptedSpeech.hiding(words, in: samples).map { UInt16(bitPattern: $0) }
        try Data(hidden.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).write(to: file)
    }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(
            "program() { \"$(dirname \"$(command -v whisper-local)\")/scripted-program\" \"$@\"; }\n" + script,
            in: scratch,
            environment: ["WHISPER_LOCAL_MODELS": RealVoices.models ?? ""])
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    /// The words in a text. One at the border of two chunks of a batch may be heard in both.
    private func wordsOf(_ text: String) -> [String] {
        text.matches(of: /\bw\d+\b/).reduce(into: []) { if $0.last != String($1.0) { $0.append(String($1.0)) } }
    }

    private static let raw = "-q -m ./words.model --raw s16le:16000:1"

    @Test(
        "recordings, in windows and in batches, in all formats, with speakers",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func recordings() throws {
        try writeConversation()
        for options in ["", "--batch-size 4", "--speakers", "--guard false --word-timestamps"] {
            let outcome = try run("program transcribe \(Self.raw) \(options) -f all talk.raw")
            #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
            for name in ["txt", "srt", "vtt", "tsv", "json"] {
                let found = wordsOf(try content("talk.\(name)"))
                #expect(Array(found.prefix(words.count)).joined(separator: " ") == text, "\(options) \(name)")
            }
            #expect(try content("talk.json").contains("\"language\": \"de\""))
        }
        let speakers = try run("program transcribe \(Self.raw) --speakers -f txt talk.raw; cat talk.txt")
        #expect(Set(speakers.output.matches(of: /speaker \d/).map { String($0.0) }).count > 1, "\(speakers)")
    }

    @Test("live audio", .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func live() throws {
        try writeConversation()
        for options in ["", "--no-vad", "--commit utterance", "--commit agree", "--speakers"] {
            let outcome = try run(
                "program live \(Self.raw) --speed max --deterministic \(options) --file talk.raw")
            #expect(outcome.status == 0 && outcome.error == "", "\(options): \(outcome)")
            #expect(wordsOf(outcome.output).joined(separator: " ") == text, "\(options): \(outcome)")
        }
    }

    @Test("a server", .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func server() throws {
        try writeConversation()
        let outcome = try run(
            """
            ffmpeg -v error -f s16le -ar 16000 -ac 1 -i talk.raw talk.wav
            program serve -m ./words.model --port 0 2>log & server=$!
            for try in $(seq 600); do port=$(grep -om1 "http://127.0.0.1:[0-9]*" log) && break; sleep 0.1; done
            for format in json verbose_json srt; do
                curl -s -F file=@talk.wav -F model=whisper-1 -F response_format=$format \\
                    "$port/v1/audio/transcriptions" >$format || echo failed
            done
            curl -s -F file=@talk.wav -F model=whisper-1 -F prompt=x "$port/v1/audio/transcriptions" >refused
            kill $server; wait $server; cat log >&2
            """)
        for format in ["json", "verbose_json", "srt"] {
            #expect(wordsOf(try content(format)).prefix(words.count).joined(separator: " ") == text, "\(outcome)")
        }
        #expect(try content("refused").contains("takes no prompt"))
        #expect(try content("verbose_json").contains("\"no_speech_prob\":0"))
    }

    @Test("what the model cannot do, what it has no use for, and files of no family are refused")
    func refused() throws {
        try scratch.write("none.model", "no model\n")
        for (command, status, message) in [
            ("transcribe -m ./words.model --language fr", 64, "french"),
            ("transcribe -m ./words.model --initial-prompt x", 64, "no use for --initial-prompt"),
            ("transcribe -m ./words.model --beam-size 3", 64, "no use for --beam-size"),
            ("transcribe -m ./words.model --temperature 0.5", 64, "no use for --temperature"),
            ("transcribe -m ./words.model --best-of 5", 64, "no use for --best-of"),
            (
                "transcribe -m ./words.model --temperature-increment-on-fallback None", 64,
                "no use for --temperature-increment-on-fallback"
            ),
            ("transcribe -m ./words.model --batch-size 2 --no-speech-threshold 0.5", 64, "--no-speech-threshold"),
            ("live -q -m ./words.model --language fr --speed max --file", 64, "french"),
            ("transcribe -m ./none.model", 65, "none.model"),
        ] {
            let outcome = try run("program \(command) $CLIPS/say-00.wav")
            #expect(outcome.status == status && outcome.error.contains(message), "\(command): \(outcome)")
        }
    }

    @Test("models list, info and verify, and bench, work without Whisper's files and layers")
    func commands() throws {
        let outcome = try run(
            """
            cp words.model words.pt; export WHISPER_LOCAL_MODELS=$PWD
            program models list | grep words && program models list --json | grep -o '"format":"text","type":null,"languages":2'
            program models info words && program models info --json words | grep -o '"words":49,"memory":{"float32":1000000'
            program models verify words && program models path ./words.model
            program bench -m words --rounds 1 | grep -E "^(model|decode|speed)"
            program bench -m words --rounds 1 --json | grep -o '"mel_ms": 0.0, "encode_ms": 0.0'
            """)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
        for part in [
            "2 languages", "format      text", "languages   2 languages", "words       49", "float32  1 MB",
            "words: ok, no published digest", "words.model", "times real time", "\"mel_ms\": 0.0",
            "\"type\":null", "\"float32\":1000000",
        ] { #expect(outcome.output.contains(part), "\(part): \(outcome.output)") }
    }

    @Test("what has no meaning for the model is refused, and memory is checked before it is loaded")
    func meaningless() throws {
        try scratch.write("none.model", "no model\n")
        try scratch.write("huge.model", "\(ScriptedModel.header)\nde\nw0\n1000000000000000\n")
        for (command, status, message) in [
            ("models convert ./words.model x.bin", 64, "it is a Scripted model"),
            ("bench -m ./words.model --tokens 5", 64, "no use for --tokens"),
            ("bench -m ./words.model --beam-size 2", 64, "no use for --beam-size"),
            ("transcribe -m ./huge.model $CLIPS/say-00.wav", 75, "needs about 1000000.00 GB"),
            ("live -m ./huge.model --file $CLIPS/say-00.wav", 75, "needs about 1000000.00 GB"),
            ("models info ./none.model", 65, "none.model"), ("models verify ./none.model", 65, "none.model"),
        ] {
            let outcome = try run("program \(command)"), text = outcome.error + outcome.output
            #expect(outcome.status == status && text.contains(message), "\(command): \(outcome)")
        }
    }
}
