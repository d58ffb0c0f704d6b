import Foundation
import Testing

/// The program under the names of others, with the command lines of programs that start these.
@Suite("Names of other programs")
struct OtherProgramTests {
    /// What Subtitle Edit looks for in each line: a segment in one of two forms.
    private static let shortSegment = #"^\[\d\d:\d\d[\.,]\d\d\d --> \d\d:\d\d[\.,]\d\d\d\]"#
    private static let longSegment = #"^\[\d\d:\d\d:\d\d[\.,]\d\d\d --> \d\d:\d\d:\d\d[\.,]\d\d\d\]"#

    private static let tests = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
    private static let clips = tests.path + "/Fixtures/clips"
    private static let clip = clips + "/say-00.wav"
    private static let model = tests.deletingLastPathComponent().path + "/Models/nano.en.ggml.bin"
    private static let sentences = ["Turn the fan down to 5%.", "Where did you put the short chair?"]

    /// Runs a script in a folder with `in.wav` and links to the program.
    private static func run(_ script: String, in scratch: Program.Scratch) throws -> Program.Outcome {
        try Program.shell(
            """
            for name in whisper-cli whisper; do ln -sf "$(command -v whisper-local)" $name; done
            cp "\(clip)" in.wav; chmod u+w in.wav
            \(script)
            """, in: scratch)
    }

    private static func text(_ name: String, in scratch: Program.Scratch) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    private static func files(_ scratch: Program.Scratch) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path))
    }

    private static func matches(_ pattern: String, _ lines: [String]) throws -> [String] {
        let regex = try NSRegularExpression(pattern: pattern)
        return lines.filter { regex.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil }
    }

    private static let subtitles = """
        1
        00:00:00,000 --> 00:00:03,000
        Turn the fan down to 5%.

        2
        00:00:03,000 --> 00:00:06,000
        Where did you put the short chair?


        """

    /// Subtitles without their times.
    private static func withoutTimes(_ text: String) -> String {
        text.replacing(/\d\d:\d\d:\d\d[.,]\d\d\d/, with: "T")
    }

    @Test("Subtitle Edit's command line for whisper.cpp")
    func subtitleEdit() throws {
        let scratch = try Program.Scratch()
        let outcome = try Self.run(
            #"./whisper-cli --language en --model "\#(Self.model)" --output-srt --print-progress "in.wav""#, in: scratch
        )
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "")
        let segments = try Self.matches(Self.longSegment, lines)
        // It takes the text from this column.
        #expect(segments.map { String($0.dropFirst(31)).trimmingCharacters(in: .whitespaces) } == Self.sentences)
        #expect(try Self.matches(Self.shortSegment, lines).isEmpty)
        #expect(outcome.error.contains("whisper_print_progress_callback: progress = 100%\n"))
        #expect(outcome.error.contains("output_srt: saving output to 'in.wav.srt'\n"))
        #expect(Self.withoutTimes(try Self.text("in.wav.srt", in: scratch)) == Self.withoutTimes(Self.subtitles))
        #expect(try Self.files(scratch).isDisjoint(with: ["in.srt", "in.wav.txt"]))
    }

    @Test("Subtitle Edit's command line for openai-whisper")
    func openAIWhisper() throws {
        let scratch = try Program.Scratch()
        let outcome = try Self.run(
            #"./whisper --language English --model nano.en --task transcribe --device cuda --threads 0 "in.wav""#,
            in: scratch)
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("--device cuda has no effect"))
        let lines = outcome.output.split(separator: "\n").map(String.init)
        // It takes the text from this column.
        let segments = try Self.matches(Self.shortSegment, lines)
        #expect(segments.map { String($0.dropFirst(25)).trimmingCharacters(in: .whitespaces) } == Self.sentences)
        #expect(Self.withoutTimes(try Self.text("in.srt", in: scratch)) == Self.withoutTimes(Self.subtitles))
        let written = try Self.files(scratch).filter { $0.hasPrefix("in.") }
        #expect(written == ["in.wav", "in.txt", "in.vtt", "in.srt", "in.tsv", "in.json"])
    }

    @Test("the command line of Jellyfin's plug-in, which first asks for the help")
    func jellyfin() throws {
        let scratch = try Program.Scratch()
        let start = ContinuousClock.now
        let help = try Self.run("./whisper-cli --help", in: scratch)
        #expect(help.status == 0 && help.output.contains("--output-srt") && ContinuousClock.now - start < .seconds(5))
        let outcome = try Self.run(
            """
            mkdir out
            ./whisper-cli -m "\(Self.model)" -f in.wav -l en -mc 0 -sns -osrt -of "$PWD/out/subtitles" --prompt "A fan."
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path + "/out") == ["subtitles.srt"])
        #expect(try Self.text("out/subtitles.srt", in: scratch).contains(Self.sentences[1]))
    }

    @Test("whisper.cpp's formats, and a prefix for each input")
    func formats() throws {
        let scratch = try Program.Scratch()
        let outcome = try Self.run(
            """
            cp in.wav second.wav
            ./whisper-cli -np -ng -t 2 -m "\(Self.model)" -otxt -ovtt -olrc -ocsv -oj -of a -of b in.wav second.wav
            """, in: scratch)
        #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
        let written = try Self.files(scratch)
        for prefix in ["a", "b"] {
            #expect(written.isSuperset(of: ["txt", "vtt", "lrc", "csv", "json"].map { "\(prefix).\($0)" }))
        }
        #expect(try Self.text("a.csv", in: scratch).hasPrefix("start,end,text\n520,3040,\""))
        let json = try Self.text("a.json", in: scratch)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["systeminfo", "model", "params", "result", "transcription"])
        #expect((object["result"] as? [String: Any])?["language"] as? String == "en")
        let segments = try #require(object["transcription"] as? [[String: Any]])
        #expect(segments.compactMap { $0["text"] as? String } == Self.sentences.map { " " + $0 })
        for segment in segments {
            #expect(Set(segment.keys) == ["timestamps", "offsets", "text"])
            #expect((segment["offsets"] as? [String: Int])?.count == 2)
            let times = try #require(segment["timestamps"] as? [String: String])
            #expect(times["from"]?.wholeMatch(of: /\d\d:\d\d:\d\d,\d\d\d/) != nil)
        }
        #expect(json.hasPrefix("{\n\t\"systeminfo\": \"\",\n\t\"model\": {\n\t\t\"type\": "))
    }

    @Test("what cannot be done is refused, with the name of what can")
    func refusals() throws {
        let scratch = try Program.Scratch()
        for (option, instead) in [
            ("-owts", "--highlight-words"), ("-dtw base", "--word-timestamps"), ("-di", "--channels split"),
            ("--grammar x", "--terms"), ("-ojf", "-oj"), ("-of -", "standard output"),
        ] {
            let outcome = try Self.run("./whisper-cli \(option) in.wav", in: scratch)
            #expect(outcome.status == 1 && outcome.error.contains(instead), "\(option): \(outcome.error)")
        }
        for (script, status) in [
            ("./whisper-cli --nonsense in.wav", 1), ("./whisper-cli", 1), ("./whisper-cli -bs x in.wav", 1),
            ("./whisper-cli -ot x in.wav", 1), (#"./whisper-cli -m "\#(Self.model)" missing.wav"#, 2),
            ("./whisper-cli -m missing.bin in.wav", 3), ("./whisper --nonsense in.wav", 2), ("./whisper", 2),
            ("./whisper --model missing.bin in.wav", 1),
        ] as [(String, Int32)] {
            let outcome = try Self.run(script, in: scratch)
            #expect(outcome.status == status, "\(script): \(outcome.status) \(outcome.error)")
        }
        #expect(try Self.files(scratch).allSatisfy { !$0.hasSuffix(".srt") })
    }

    @Test("a recording that cannot be read is skipped")
    func skipping() throws {
        let scratch = try Program.Scratch()
        try scratch.write("bad.wav", "nonsense")
        let whisper = try Self.run(
            "./whisper --model nano.en bad.wav in.wav --output_format srt --max_words_per_line 3", in: scratch)
        #expect(whisper.status == 0 && whisper.error.contains("Skipping bad.wav due to"), "\(whisper.error)")
        #expect(whisper.error.contains("--max-words-per-line requires --word_timestamps True"))
        #expect(try Self.files(scratch).contains("in.srt"))
        let cli = try Self.run(#"./whisper-cli -m "\#(Self.model)" bad.wav in.wav missing.wav -otxt"#, in: scratch)
        #expect(cli.status == 0 && cli.error.contains("missing.wav"))
        #expect(try Self.text("in.wav.txt", in: scratch).contains(Self.sentences[0]))
        let only = try Self.run(#"./whisper-cli -m "\#(Self.model)" bad.wav"#, in: scratch)
        #expect(only.status == 10, "\(only.error)")
    }

    @Test("a run that is stopped leaves no file, and no folder is removed", arguments: [SIGTERM, SIGKILL])
    func stopping(signal: Int32) throws {
        let scratch = try Program.Scratch()
        let long = Self.clips + "/long-three-minutes.flac"
        let running = try Program.start(
            """
            ln -s "$(command -v whisper-local)" whisper-cli; mkdir out
            exec ./whisper-cli -m "\(Self.model)" -f "\(long)" -osrt -of out/x
            """, in: scratch)
        #expect(running.wait { $0.contains("-->") })
        running.signal(signal)
        #expect(try running.outcome().status == 128 + signal)
        // A killed run cannot remove its lock.
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path + "/out")
        #expect(left.allSatisfy { signal == SIGKILL && $0 == ".x.srt.lock" }, "\(left)")
    }
}
