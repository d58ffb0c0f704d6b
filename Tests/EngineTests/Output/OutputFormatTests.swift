import Testing
import WhisperEngine

@Suite("Output format")
struct OutputFormatTests {
    @Test(
        "lists name formats once, in their order",
        arguments: [
            ("srt", [OutputFormat.srt]), ("json,txt,json", [.json, .txt]), (" SRT , vtt", [.srt, .vtt]),
            ("all", OutputFormat.allCases), ("lrc,all", [.lrc, .txt, .srt, .vtt, .tsv, .json, .csv]),
        ])
    func lists(text: String, expected: [OutputFormat]) throws {
        #expect(try OutputFormat.parse(list: text) == expected)
    }

    @Test(
        "a wrong list names what is wrong",
        arguments: [
            ("", OutputError.emptyFormat), (",", .emptyFormat), ("srt,", .emptyFormat),
            ("srt,docx", .unknownFormat("docx")),
            ("srt;vtt", .unknownFormat("srt;vtt")),
        ])
    func wrong(text: String, expected: OutputError) {
        #expect(throws: expected) { try OutputFormat.parse(list: text) }
        #expect(expected.category == .usage)
        #expect(expected.advice == "one or more of txt,srt,vtt,tsv,json,csv,lrc, or all")
    }
}
