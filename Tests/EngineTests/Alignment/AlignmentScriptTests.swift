import Testing

/// What is read from the files that people have.
@Suite("Texts to align")
struct AlignmentScriptTests {
    private func script(_ text: String, _ format: AlignmentScript.Format? = nil) throws -> AlignmentScript {
        try AlignmentScript(Array(text.utf8), format: format)
    }

    private func texts(_ text: String, _ format: AlignmentScript.Format? = nil) throws -> [String] {
        try script(text, format).passages.map(\.text)
    }

    @Test("a line of plain text is a passage, whatever ends it; a byte order mark and UTF-16 are understood")
    func lines() throws {
        #expect(try texts("One two.\r\n\r\n  Three \u{2028}four\n") == ["One two.", "Three", "four"])
        #expect(try texts("\u{feff}eins") == ["eins"])
        let units: [UInt8] = [0xff, 0xfe, 0x68, 0, 0xe9, 0]
        #expect(try AlignmentScript(units).passages.map(\.text) == ["hé"])
        #expect(try AlignmentScript([0xfe, 0xff, 0, 0x68, 0, 0xe9]).passages.map(\.text) == ["hé"])
    }

    @Test("cues keep their lines and lose their tags, numbers and settings")
    func subtitles() throws {
        let srt = """
            1
            00:00:01,500 --> 00:00:03,000
            <i>Hello</i> there,
            {\\an8}you & 5 < 6!

            2
            00:01:00,000 --> 00:01:02,250 X1:0

            3
            01:00:00.000 --> 01:00:01.000
            [door] 42
            4
            01:00:02,000 --> 01:00:03,000
            The end
            """
        let read = try script(srt)
        #expect(read.areCues)
        #expect(read.passages.map(\.text) == ["Hello there,\nyou & 5 < 6!", "[door] 42", "The end"])
        #expect(read.passages[0].times == TranscriptSpan(start: 1.5, end: 3))
        #expect(read.passages[1].times == TranscriptSpan(start: 3600, end: 3601))
        let vtt = """
            WEBVTT - a title

            NOTE nothing
            of this

            STYLE
            ::cue { color: red }

            intro
            00:01.000 --> 00:02.000 align:start
            <v Anna Lee>A &amp; B <00:01.500><c.x>now</c>
            """
        let cue = try script(vtt).passages
        #expect(cue == [.init("A & B now", speaker: "Anna Lee", times: TranscriptSpan(start: 1, end: 2))])
        // A text that only mentions an arrow has no cues.
        #expect(try !script("a --> b").areCues)
    }

    @Test("of Markdown stays what is read")
    func markdown() throws {
        let text = """
            ---
            title: no
            ---
            # The *first* chapter #

            Some **bold**, _slanted_ and `fixed` text with [a link](https://x.y/z_a) and
            a second line, snake_case, 2 * 3 and \\*stars\\*.

            ```swift
            let code = 1
            ```
            > quoted
            - item one
            - [ ] item two
            1. first

            ![picture](a.png)
            ***
            | a | b |
            | - | - |
            [x]: https://x.y
            ~~gone~~ <b>HTML</b> <!-- hidden -->
            """
        #expect(
            try texts(text, .markdown) == [
                "The first chapter",
                "Some bold, slanted and fixed text with a link and a second line, snake_case, 2 * 3 and *stars*.",
                "quoted", "item one", "item two", "first", "a b", "gone HTML",
            ])
    }

    @Test("JSON is a transcript, or a list of words")
    func json() throws {
        #expect(
            try script(#"{"segments": [{"text": " Hi.", "start": 1, "end": 2.5, "speaker": "A"}], "text": "x"}"#, .json)
                .passages == [.init("Hi.", speaker: "A", times: TranscriptSpan(start: 1, end: 2.5))])
        #expect(try texts(#"["one", "two"]"#, .json) == ["one", "two"])
        #expect(try texts(#"[{"word": " one"}, {"word": "two"}]"#, .json) == ["one", "two"])
        #expect(try texts(#"{"text": "one\ntwo"}"#, .json) == ["one", "two"])
        #expect(throws: AlignmentScriptError.noTranscript) { try script("[1, 2]", .json) }
        #expect(throws: AlignmentScriptError.noTranscript) { try script("{}", .json) }
        #expect {
            try script("{", .json)
        } throws: { if case AlignmentScriptError.badJSON = $0 { true } else { false } }
    }

    @Test("what is no text is refused")
    func hostile() throws {
        for text in ["", " \n\t", "…\n—", "\u{feff}"] {
            #expect(throws: AlignmentScriptError.noWords) { try script(text) }
        }
        #expect(throws: AlignmentScriptError.notText(byte: 2)) { try AlignmentScript([0x61, 0x62, 0, 0x63]) }
        #expect(throws: AlignmentScriptError.notText(byte: 1)) { try AlignmentScript([0x61, 0xe9, 0x62]) }
        #expect(throws: AlignmentScriptError.noCues) { try script("words", .subtitles) }
        #expect(throws: AlignmentScriptError.missing) {
            try AlignmentScript(contentsOf: FilePath("/nonexistent/text.txt"))
        }
        #expect(throws: AlignmentScriptError.unreadable) { try AlignmentScript(contentsOf: FilePath("/tmp")) }
        // Markup without end.
        for text in ["<<<<{{{{", "**__~~``", "[](((", "|||", String(repeating: "[", count: 10_000)] {
            _ = try? script(text, .markdown)
            _ = try? script("1\n00:00:01,000 --> 00:00:02,000\n" + text + "x")
        }
    }
}
