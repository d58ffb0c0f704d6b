import Foundation
import Testing

/// The `speakers` commands and `--known-speakers` as a user runs them.
@Suite("Known speakers")
struct KnownSpeakersTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(
            "export XDG_DATA_HOME=$PWD/data\n" + script, in: scratch,
            environment: ["WHISPER_LOCAL_MODELS": RealVoices.models ?? "", "SPEECH": RealVoices.speech ?? ""])
    }

    private var store: URL { scratch.url.appending(path: "data/whisper-local/voices.json") }

    /// Writes a file of voices with these names.
    private func writeStore(_ names: [String], _ change: (String) -> String = { $0 }) throws {
        let vector = "[1.0\(String(repeating: ",0.0", count: 191))]"
        let voices = names.map {
            #"{"name":"\#($0)","enrolled":"2026-03-01T12:34:56.789Z","speech":12.34,"vector":\#(vector)}"#
        }
        let text = #"{"version":1,"network":"CAM++","voices":[\#(voices.joined(separator: ","))]}"# + "\n"
        try FileManager.default.createDirectory(
            at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
        try change(text).write(to: store, atomically: true, encoding: .utf8)
    }

    @Test("list, export and remove work on the names that are enrolled")
    func commands() throws {
        try writeStore(["Anna", "Dr. Ben"])
        let all = try String(contentsOf: store, encoding: .utf8)
        #expect(
            try run("whisper-local speakers list; whisper-local speakers list --json").output == """
                NAME       SPEECH  ENROLLED (UTC)
                Anna       12.3 s  2026-03-01
                'Dr. Ben'  12.3 s  2026-03-01
                [{"name":"Anna","enrolled":"2026-03-01T12:34:56.789Z","speech":12.34},\
                {"name":"Dr. Ben","enrolled":"2026-03-01T12:34:56.789Z","speech":12.34}]

                """)
        #expect(try run("whisper-local speakers export").output == all)
        let unknown = try run("whisper-local speakers remove --yes Anna Bem")
        #expect(
            unknown
                == Program.Outcome(
                    status: 66, output: "",
                    error: "error: no voice named 'Bem' is enrolled\ntry: whisper-local speakers list\n"))
        #expect(try run("whisper-local speakers remove Anna </dev/null").status == 64)
        #expect(try run("whisper-local speakers export").output == all)
        let outcome = try run(
            """
            chmod 644 $XDG_DATA_HOME/whisper-local/voices.json
            whisper-local speakers remove --yes Anna
            stat -c %a $XDG_DATA_HOME/whisper-local/voices.json
            whisper-local speakers export 'Dr. Ben' | cmp - $XDG_DATA_HOME/whisper-local/voices.json
            whisper-local speakers remove --yes 'Dr. Ben'
            ls -A $XDG_DATA_HOME/whisper-local
            whisper-local speakers list
            """)
        #expect(
            outcome
                == Program.Outcome(
                    status: 0, output: "removed Anna\n600\nremoved 'Dr. Ben'\n", error: "no voices are enrolled\n"))
    }

    private static let damage: [(String, @Sendable (String) -> String)] = [
        ("is not valid JSON", { String($0.dropLast(3)) }),
        ("is not valid JSON", { _ in String(repeating: "[", count: 100_000) }),
        ("has no version", { _ in "{}" }),
        ("has no list of voices", { $0.replacing("voices", with: "voice") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("1.0,", with: "") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("1.0,", with: "2.0,") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("1.0,", with: "1e999,") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("Anna", with: "An\\u001bna") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("Anna", with: "speaker 2") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("2026-", with: "2026") }),
        ("has a voice that is not valid (number 1)", { $0.replacing("12.34", with: "-1") }),
        ("has two voices called 'Anna'", { $0.replacing("Ben", with: "Anna") }),
    ]

    @Test("a damaged file of voices is reported and left as it is", arguments: damage)
    func damaged(why: String, change: @Sendable (String) -> String) throws {
        try writeStore(["Anna", "Ben"], change)
        let before = try Data(contentsOf: store)
        for command in ["list", "export", "remove --yes Anna", "enroll Carl x.wav"] {
            let outcome = try run("whisper-local speakers \(command)")
            #expect(outcome.status == 65 && outcome.output == "", "\(command)")
            #expect(
                outcome.error.hasPrefix("error: \(store.path), the file of known voices, \(why)\ntry: mv "),
                "\(command)")
        }
        #expect(try Data(contentsOf: store) == before)
    }

    @Test("a file of another version, a folder in its place and a missing home are reported")
    func unreadable() throws {
        try writeStore(["Anna"]) { $0.replacing(#""version":1"#, with: #""version":2"#) }
        let newer = try run("whisper-local speakers list")
        #expect(newer.status == 65 && newer.error.contains("another version of this program"))
        try FileManager.default.removeItem(at: store)
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let folder = try run("whisper-local speakers list")
        #expect(folder.status == 65 && folder.error.contains("is not a file"))
        let homeless = try Program.shell(
            "unset HOME XDG_DATA_HOME; whisper-local speakers list", in: scratch)
        #expect(homeless.status == 73 && homeless.error.contains("nowhere to keep voices"))
    }

    @Test("names that no voice can have are rejected", arguments: ["", " Anna", "speaker 2", "A\nB", "\u{1b}[1m"])
    func names(name: String) throws {
        let outcome = try run("whisper-local speakers enroll \"$(printf '\(name)')\" x.wav")
        #expect(outcome.status == 64 && outcome.error.contains("cannot be the name of a voice"))
    }

    @Test(
        "an enrolled voice is named in another recording, in every format, and the others keep their numbers",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func known() throws {
        try RealVoices.writeConversation(to: scratch)
        let enrolled = try run(
            """
            umask 022
            whisper-local speakers enroll 'Fanny B' $SPEECH/fr/demo-abouttotry.wav $SPEECH/fr/dir-intro.wav
            stat -c %a $XDG_DATA_HOME/whisper-local/voices.json
            whisper-local speakers enroll Igor $SPEECH/it/demo-abouttotry.wav
            """)
        #expect(enrolled.status == 0 && enrolled.error == "")
        let lines = enrolled.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == "600")
        #expect(lines[0].wholeMatch(of: /enrolled 'Fanny B': 2\d\.\d s of speech/) != nil, "\(enrolled.output)")
        let transcribe =
            "whisper-local transcribe -m ct2-tiny.en --beam-size 1 --temperature-increment-on-fallback 0 --guard false "
            + "--raw s16le:16000:1 -q --speakers -f rttm,txt,json"
        let outcome = try run("\(transcribe) --known-speakers -o known talk.raw && \(transcribe) -o plain talk.raw")
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
        for name in ["talk.txt", "talk.json"] {
            let known = try content("known/\(name)"), plain = try content("plain/\(name)")
            #expect(known != plain && known.replacing("Fanny B", with: "speaker 2") == plain, "\(name)")
        }
        #expect(
            try content("known/talk.rttm").replacing("Fanny_B", with: "speaker_2") == content("plain/talk.rttm"))
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    @Test(
        "recordings of silence, of a few words or of several people are not enrolled",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func refused() throws {
        try RealVoices.writeConversation(to: scratch)
        let outcome = try run(
            """
            wav() { ffmpeg -v error -f s16le -ar 16000 -ac 1 -i - "$1"; }
            head -c 320000 /dev/zero | wav silence.wav
            wav talk.wav <talk.raw
            for file in silence.wav talk.wav $SPEECH/en/agent-pass.wav; do
                whisper-local speakers enroll Anna $file
            done
            ls data 2>/dev/null
            """)
        #expect(outcome.output == "")
        #expect(
            outcome.error.replacing(/\d\.\d s of/, with: "2.0 s of") == """
                error: silence.wav has no speech
                try: use a recording in which Anna speaks
                error: talk.wav has 3 voices
                try: use a recording in which only Anna speaks
                error: 2.0 s of speech is too little to enroll a voice; at least 5 s are needed
                try: add recordings of Anna

                """)
    }

    @Test(
        "without enrolled voices --known-speakers warns, and a damaged file of them is an error",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func nobody() throws {
        let transcribe = "whisper-local transcribe -m ct2-tiny.en --speakers --known-speakers -f rttm $CLIPS/say-00.wav"
        let outcome = try run(transcribe)
        #expect(
            outcome.status == 0
                && outcome.error.contains("warning: --known-speakers has no effect: no voices are enrolled"))
        try writeStore(["Anna"]) { _ in "[]" }
        let damaged = try run(transcribe)
        #expect(damaged.status == 65 && damaged.error.contains("the file of known voices, has no version"))
    }
}
