import Foundation
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// The clip's text is `Turn the fan down to 5%. Where did you put the short chair?`
    private func transcribe(_ options: String) throws -> Program.Outcome {
        try Program.shell("whisper-local transcribe -q --no-timestamps \(options) \"$CLIPS/say-00.wav\"", in: scratch)
    }

    @Test("the user's own file, given files and given terms apply together")
    func sources() throws {
        try scratch.write("config/whisper-local/vocabulary", "fan down => ventilator down\nShortchair ^2")
        try scratch.write("other", "# Names\nGarten ~ turn\n")
        try scratch.write("third", "/(\\d+)%/ => $1 percent\r\n")
        let config = "XDG_CONFIG_HOME=$PWD/config"
        let outcome = try Program.shell(
            "\(config) whisper-local transcribe -q --no-timestamps --vocabulary other --vocabulary third --terms 'Didyou, nginx' "
                + "\"$CLIPS/say-00.wav\"", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 0,
                    output: "Garten the ventilator down to 5 percent.\nWhere Didyou put the Shortchair?\n", error: ""
                ))
        let ignoring = try Program.shell(
            "\(config) whisper-local transcribe -q --no-timestamps --no-vocabulary --vocabulary third \"$CLIPS/say-00.wav\"",
            in: scratch)
        #expect(ignoring.output == "Turn the fan down to 5 percent.\nWhere did you put the short chair?\n")
    }

    @Test("every output has the corrected text, and words keep their times")
    func outputs() throws {
        try scratch.write("v", "fan down => small ventilator off\nto =>\n")
        let outcome = try transcribe("--word-timestamps -f all --vocabulary v")
        #expect(outcome.status == 0)
        for ending in ["txt", "srt", "vtt", "ass", "tsv", "csv", "lrc", "json"] {
            let text = try String(contentsOf: scratch.url.appending(path: "say-00.\(ending)"), encoding: .utf8)
            #expect(text.contains("small ventilator off 5%") && !text.contains("fan"), "\(ending)")
        }
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: scratch.url.appending(path: "say-00.json")))
        let transcript = try #require(json as? [String: Any])
        #expect(
            transcript["text"] as? String
                == " Turn the small ventilator off 5%. Where did you put the short chair?")
        let segments = try #require(transcript["segments"] as? [[String: Any]])
        let words = segments.flatMap { $0["words"] as? [[String: Any]] ?? [] }
        #expect(
            words.compactMap { $0["word"] as? String }.joined()
                == " Turn the small ventilator off 5%. Where did you put the short chair?")
        let times: [Double] = words.flatMap { word in ["start", "end"].map { word[$0] as? Double ?? -1 } }
        #expect(times == times.sorted() && times[0] >= 0)
    }

    @Test(
        "vocabularies that cannot be used are refused before anything is loaded",
        arguments: [
            (
                "--vocabulary bad", 65,
                "error: bad, line 2, column 5: '^9' is no weight\ntry: write ^ and a number from 0.1 to 3, such as ^2\n"
            ),
            (
                "--vocabulary missing", 66,
                "error: no such vocabulary: missing\ntry: write one term a line into this file, or leave it out\n"
            ),
            (
                "--terms 'Ann ^9'", 64,
                "error: --terms: invalid value 'Ann ^9'\ntry: terms separated by commas, such as 'Siobhan, nginx ^2'\n"
            ),
        ] as [(String, Int32, String)])
    func refused(options: String, status: Int32, message: String) throws {
        try scratch.write("bad", "Bo\nAnn ^9\n")
        for command in ["transcribe", "live", "dictate", "serve"] {
            let file = command == "transcribe" ? "\"$CLIPS/say-00.wav\"" : ""
            let outcome = try Program.shell("whisper-local \(command) \(options) \(file)", in: scratch)
            #expect(outcome == Program.Outcome(status: status, output: "", error: message), "\(command)")
        }
    }

    @Test("with --skip-existing, another vocabulary transcribes again, and the report has its digest")
    func skipping() throws {
        try scratch.write("v", "fan => ventilator\n")
        let options = "-f txt -o out --skip-existing --vocabulary v --report report.jsonl"
        _ = try transcribe(options)
        _ = try transcribe(options)
        try scratch.write("v", "# the same\nfan   => ventilator\n")
        _ = try transcribe(options)
        try scratch.write("v", "fan => blower\n")
        _ = try transcribe(options)
        _ = try transcribe("-f txt -o out --skip-existing --report report.jsonl")
        let lines = try String(contentsOf: scratch.url.appending(path: "report.jsonl"), encoding: .utf8)
            .split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        #expect(lines.map { $0["outcome"] as? String } == ["done", "skipped", "skipped", "done", "done"])
        let digests = lines.map { $0["vocabulary"] as? String }
        #expect(digests[0]?.count == 64 && digests[0] == digests[2] && digests[0] != digests[3] && digests[4] == nil)
        let text = try String(contentsOf: scratch.url.appending(path: "out/say-00.txt"), encoding: .utf8)
        #expect(text.hasPrefix("Turn the fan"))
    }

    @Test("live text is corrected, volatile and final", arguments: ["utterance", "agree", "align"])
    func live(policy: String) throws {
        try scratch.write("v", "fan down => ventilator off\nshort chair => stool\n/(\\d+)%/ => $1 percent\n")
        let outcome = try Program.shell(
            "whisper-local live --json --deterministic --commit \(policy) --file \"$CLIPS/say-00.wav\" --speed max "
                + "--vocabulary v", in: scratch)
        #expect(outcome.status == 0)
        var finals = ""
        for line in outcome.output.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let text = (object?["segment"] as? [String: Any])?["text"] as? String ?? ""
            #expect(!text.contains("fan down") && !text.contains("short chair"))
            if object?["type"] as? String == "final" { finals += text }
        }
        #expect(finals == " Turn the ventilator off to 5 percent. Where did you put the stool?")
    }

    private static let names = "Fandown\nDidyou\nShortchair\n"

    @Test(
        "three names in the user's own file are right in `transcribe` and `live`",
        arguments: ["transcribe -q", "live --speed max --deterministic --file"])
    func names(command: String) throws {
        try scratch.write("config/whisper-local/vocabulary", Self.names)
        let outcome = try Program.shell(
            "XDG_CONFIG_HOME=$PWD/config whisper-local \(command) \"$CLIPS/say-00.wav\" --no-timestamps",
            in: scratch)
        #expect(outcome.output == "Turn the Fandown to 5%.\nWhere Didyou put the Shortchair?\n")
    }

    @Test("dictated names of the user's own file are right")
    func dictate() throws {
        try scratch.write("config/whisper-local/vocabulary", Self.names)
        let running = try Program.start(
            "XDG_CONFIG_HOME=$PWD/config exec whisper-local dictate --file \"$CLIPS/say-00.wav\"", in: scratch)
        #expect(running.waitForHandlers())
        running.signal(SIGUSR1)
        usleep(3_100_000)
        running.signal(SIGUSR2)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        #expect(try running.outcome().output == "Turn the Fandown to 5%.\n")
    }

    @Test("`vocabulary check` shows tokens, marks terms that are not preferred, and lists what is wrong")
    func check() throws {
        try scratch.write("v", "# Names\nIT\nthe\nEkaterina Voronova\nAnn ^7\nengine x => nginx\n/(/ => x\n")
        let outcome = try Program.shell("whisper-local vocabulary check v -m nano.en", in: scratch)
        #expect(outcome.status == 65)
        #expect(
            outcome.error.hasPrefix(
                """
                error: v, line 5, column 5: '^7' is no weight
                try: write ^ and a number from 0.1 to 3, such as ^2
                error: v, line 7, column 2: this parenthesis is never closed
                try: write \\( for the character

                """), "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines[0].split(separator: " ") == ["LINE", "TERM", "TOKENS", "SPELLED", "NOTE"])
        #expect(lines[1].hasSuffix("too short: it would be heard in other words"))
        #expect(lines[2].hasSuffix("a frequent word, which is recognized without help"))
        #expect(lines[3].hasPrefix("   4  Ekaterina Voronova "))
        #expect(lines[4].hasPrefix("3 terms, 1 rule of at most 10000 entries; nano.en uses 1 of the terms"))
        try scratch.write("config/whisper-local/vocabulary", "Siobhan\n")
        let own = try Program.shell("XDG_CONFIG_HOME=$PWD/config whisper-local vocabulary check", in: scratch)
        #expect(own.status == 0 && own.output.contains("   1  Siobhan"))
    }
}
