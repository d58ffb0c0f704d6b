import Foundation
import Testing

/// `live --speakers` as a user runs it.
@Suite("Live speakers on the command line")
struct LiveSpeakersTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(
            "export XDG_DATA_HOME=$PWD/data\n" + script, in: scratch,
            environment: ["WHISPER_LOCAL_MODELS": RealVoices.models ?? ""])
    }

    private static let live =
        "whisper-local live -q -m ct2-tiny.en --speed max --deterministic --raw s16le:16000:1 --file talk.raw"

    @Test("without the networks --speakers says how to get them, and a session stays as it was")
    func missing() throws {
        let outcome = try Program.shell(
            "whisper-local live --speakers --session talk --file $CLIPS/say-00.wav; echo $?", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 0, output: "69\n",
                    error: """
                        error: --speakers needs speakers.safetensors, which is not installed
                        try: whisper-local models pull speakers

                        """))
    }

    @Test("options that need --speakers, or exclude each other, are refused")
    func contradictions() throws {
        for (options, message) in [
            ("--speaker-names Anna", "--speaker-names requires --speakers"),
            ("--known-speakers", "--known-speakers requires --speakers"),
            ("--speakers --known-speakers --speaker-names Anna", "one names speakers by voice, the other by order"),
            ("--speakers=0", "--speakers"), ("--speakers --speaker-names ,", "names separated by commas"),
        ] {
            let outcome = try Program.shell("whisper-local live \(options) --file x.wav", in: scratch)
            #expect(outcome.status == 64 && outcome.error.contains(message), "\(options): \(outcome.error)")
        }
    }

    @Test(
        "every output of a live session names the speakers, and the session keeps them",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func outputs() throws {
        try RealVoices.writeConversation(to: scratch)
        let outcome = try run(
            """
            \(Self.live) --json --speakers > live.json
            \(Self.live) --no-timestamps --speakers --speaker-names Anna,Ben --session talk > live.txt
            whisper-local history show --no-timestamps talk > show.txt
            whisper-local history export talk > export.txt
            whisper-local history export -f vtt talk > export.vtt
            whisper-local history export -f json talk > export.json
            \(Self.live) --no-timestamps --color always --speakers 1 --session talk > again.txt
            """)
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
        func content(_ name: String) throws -> String {
            try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
        }
        struct Line: Decodable {
            struct Word: Decodable {
                let word: String
                let speaker: String?
            }
            struct Segment: Decodable {
                let id: Int
                let text: String
                let speaker: String?
                let words: [Word]
            }
            let type: String
            let segment: Segment?
        }
        let lines = try content("live.json").split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        let finals = lines.filter { $0.type == "final" }.compactMap(\.segment)
        #expect(finals.map(\.id) == Array(finals.indices) && finals.count > 8)
        #expect(Set(finals.map(\.speaker)) == ["speaker 1", "speaker 2", "speaker 3"])
        #expect(finals.first?.speaker == "speaker 1")
        for final in finals {
            #expect(final.words.map(\.word).joined() == final.text)
            #expect(final.words.allSatisfy { $0.speaker == final.speaker })
        }
        for segment in lines.filter({ $0.type == "volatile" }).compactMap(\.segment) {
            #expect(segment.speaker == nil && segment.words.allSatisfy { $0.speaker == nil })
        }
        let text = try content("live.txt").split(separator: "\n").map(String.init)
        let names = ["[Anna] ", "[Ben] ", "[speaker 3] "]
        #expect(text.count > 5 && text.allSatisfy { line in names.contains { line.hasPrefix($0) } })
        #expect(text.first?.hasPrefix("[Anna] ") == true)
        for name in names { #expect(text.contains { $0.hasPrefix(name) }) }
        for file in ["show.txt", "export.txt"] { #expect(try content(file) == content("live.txt"), "\(file)") }
        #expect(try content("export.vtt").contains("\n<v Ben>"))
        #expect(try content("export.json").contains("\"speaker\": \"Anna\""))
        // A later run does not know the voices: its numbers continue.
        let again = try content("again.txt").split(separator: "\n")
        #expect(!again.isEmpty && again.allSatisfy { $0.hasPrefix("\u{1b}[38;5;33m[speaker 4] \u{1b}[0m") })
    }

    @Test("a known voice is named while it speaks", .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func known() throws {
        try RealVoices.writeConversation(to: scratch)
        let outcome = try Program.shell(
            """
            export XDG_DATA_HOME=$PWD/data
            whisper-local speakers enroll Anna $SPEECH/fr/demo-abouttotry.wav $SPEECH/fr/dir-intro.wav >&2 || exit
            \(Self.live) --no-timestamps --speakers --known-speakers
            """, in: scratch,
            environment: ["WHISPER_LOCAL_MODELS": RealVoices.models ?? "", "SPEECH": RealVoices.speech ?? ""])
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("[Anna] ") && outcome.output.contains("[speaker "))
    }
}
