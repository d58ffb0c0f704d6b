import Testing

@Suite("Output formats")
struct OutputFormatTests {
    @Test(
        "a list gives each format once, in order of first mention",
        arguments: [
            ("srt", [OutputFormat.srt]), ("json,txt,json", [.json, .txt]), (" SRT , vtt", [.srt, .vtt]),
            ("all", OutputFormat.allCases.filter { $0 != .rttm }),
            ("lrc,all", [.lrc, .txt, .md, .srt, .vtt, .ass, .tsv, .json, .csv]),
        ])
    func lists(text: String, expected: [OutputFormat]) throws {
        #expect(try OutputFormat.parse(list: text) == expected)
    }

    @Test(
        "an invalid list is rejected with the invalid name",
        arguments: [
            ("", OutputError.emptyFormat), (",", .emptyFormat), ("srt,", .emptyFormat),
            ("srt,docx", .unknownFormat("docx")),
            ("srt;vtt", .unknownFormat("srt;vtt")),
        ])
    func wrong(text: String, expected: OutputError) {
        #expect(throws: expected) { try OutputFormat.parse(list: text) }
    }
}
