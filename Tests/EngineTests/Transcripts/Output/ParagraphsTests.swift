import Testing

@Suite("Paragraphs")
struct ParagraphsTests {
    private typealias Line = (start: Double, end: Double, text: String, speaker: String?)

    private func transcript(_ lines: [Line]) -> Transcript {
        WriterFixture.transcript(
            of: lines.map { line in
                var segment = WriterFixture.segment(line.text, from: line.start, to: line.end)
                segment.speaker = line.speaker
                return segment
            })
    }

    private func texts(_ lines: [Line]) -> [String] {
        let text = TextWriter(hasParagraphs: true).text(of: transcript(lines))
        return text.split(separator: "\n\n").map { String($0.filter { $0 != "\n" }) }
    }

    @Test("sentences are joined until a long pause, and a sentence is not divided by a short one")
    func pauses() {
        #expect(
            texts([
                (0, 2, " One begins", nil), (3.5, 5, " and ends.", nil), (5, 6, " Two.", nil), (8.5, 9, " Three,", nil),
                (11.5, 12, " after a pause,", nil), (17, 18, " and a longer one.", nil),
            ]) == ["One begins and ends. Two.", "Three, after a pause,", "and a longer one."])
    }

    @Test("consecutive lines of a speaker are one paragraph, and the name is written once")
    func speakers() {
        let lines: [Line] = [
            (0, 1, " One.", "Anna"), (1, 2, " Two.", "Anna"), (2, 3, " Three.", "Ben"), (3, 4, " Four.", "Ben"),
            (9, 10, " Five.", "Ben"), (10, 11, " Six.", "Anna"),
        ]
        #expect(texts(lines) == ["[Anna] One. Two.", "[Ben] Three. Four.", "Five.", "[Anna] Six."])
        #expect(
            MarkdownWriter().text(of: transcript(lines)) == """
                **[0:00] Anna:** One. Two.

                **[0:02] Ben:** Three. Four.

                **[0:09]** Five.

                **[0:10] Anna:** Six.

                """)
    }

    @Test("a paragraph ends with the sentence after 500 characters, or in a sentence without an end")
    func length() {
        let sentence = " Word" + String(repeating: " word", count: 19) + "."
        let long = texts((0..<12).map { (Double($0), Double($0 + 1), sentence, nil) })
        #expect(long.map(\.count) == [504, 504, 201])
        let endless = texts((0..<400).map { (Double($0), Double($0 + 1), " word", nil) })
        #expect(endless.count == 2 && endless[0].count > 1400 && endless.joined(separator: " ").count == 1999)
    }

    @Test("texts without blanks stay so, and signs of Markdown are escaped")
    func signs() {
        let lines: [Line] = [(0, 1, "今日は。", nil), (1, 2, "元気*です*か。", nil)]
        #expect(texts(lines) == ["今日は。元気*です*か。"])
        #expect(MarkdownWriter().text(of: transcript(lines)) == "**[0:00]** 今日は。元気\\*です\\*か。\n")
        #expect(MarkdownWriter().text(of: transcript([])) == "" && texts([]) == [])
    }
}
