import Foundation
import Testing

@Suite("Transcript writers")
struct GoldenWriterTests {
    @Test(
        "files are identical to openai-whisper's, but the text of WebVTT is escaped, and no word is divided",
        arguments: try WriterFixture.cases())
    func golden(_ example: WriterFixture.Case) throws {
        let settings = WriterSettings(subtitles: example.subtitles)
        let text = example.format.writer(settings).text(of: try WriterFixture.transcript(example.input))
        var expected = String(decoding: try WriterFixture.bytes(example.golden), as: UTF8.self)
        // Line breaks in openai-whisper's text split rows and, next to its own, cues.
        let hasBreaks = try WriterFixture.transcript(example.input).segments.contains { $0.text.contains("\n") }
        if example.format == .vtt { expected = Self.escaped(expected) }
        if Self.dividesWord(expected) {
            #expect(!Self.dividesWord(text), "\(text)")
            return
        }
        switch example.format {
        case .tsv where hasBreaks:
            expected.replace("line\nbreak", with: "line break")
            expected.replace("<b>\n", with: "<b> ")
        case .srt where hasBreaks, .vtt where hasBreaks:
            #expect(Self.filledLines(text) == Self.filledLines(expected))
            return
        default: break
        }
        #expect(Array(text.utf8) == Array(expected.utf8), "\(text)")
    }

    /// The text of a WebVTT file with entities, except in times and underlining.
    private static func escaped(_ file: String) -> String {
        var lines = file.components(separatedBy: "\n")
        for index in lines.indices where lines[index].wholeMatch(of: /[\d:.]+ --> [\d:.]+/) == nil {
            for (plain, entity) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")] {
                lines[index].replace(plain, with: entity)
            }
            for tag in ["u", "/u"] { lines[index].replace("&lt;\(tag)&gt;", with: "<\(tag)>") }
        }
        return lines.joined(separator: "\n")
    }

    /// Whether a line starts inside the only word of the fixtures that has two parts, as openai-whisper's do.
    private static func dividesWord(_ file: String) -> Bool {
        file.split(separator: "\n").contains { $0.replacing(/<\/?u>/, with: "").hasPrefix("-three") }
    }

    private static func filledLines(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }

    @Test("every golden file is tested")
    func completeness() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Fixtures.url("writers").path)
        let golden = files.filter { name in
            ["txt", "srt", "vtt", "tsv", "json"].contains { name.hasSuffix(".\($0)") }
                && name.split(separator: ".").count == 3 && !name.hasSuffix(".input.json")
        }
        #expect(Set(golden) == Set(try WriterFixture.cases().map(\.golden)))
        #expect(golden.count > 90)
    }

    @Test(
        "csv, lrc and ass files are identical to hand-written ones",
        arguments: [
            ("plain", OutputFormat.csv), ("plain", .lrc), ("plain", .ass), ("none", .csv), ("none", .lrc),
            ("none", .ass),
        ])
    func handWritten(name: String, format: OutputFormat) throws {
        let settings = WriterSettings(subtitles: SubtitleOptions(style: .whisper))
        let text = format.writer(settings).text(of: try WriterFixture.transcript("\(name).input.json"))
        #expect(text == String(decoding: try WriterFixture.bytes("\(name).default.\(format.rawValue)"), as: UTF8.self))
    }

    @Test("a json file ends with its origin if one is given")
    func origin() throws {
        let origin = TranscriptOrigin(version: "1.2.3", model: "näno")
        let text = JSONWriter(origin: origin).text(of: try WriterFixture.transcript("none.input.json"))
        let extra = #""whisper_local": {"version": "1.2.3", "model": "n\u00e4no", "duration": 12.5}"#
        #expect(text == #"{"text": "", "segments": [], "language": "en", "# + extra + "}")
    }
}
