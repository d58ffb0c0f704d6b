import Testing

@Suite("Subtitles in openai-whisper's style")
struct SubtitleShaperTests {
    private static func words(_ texts: [String], from start: Double = 0) -> [TranscriptWord] {
        texts.enumerated().map { index, text in
            TranscriptWord(
                word: text, start: start + Double(index), end: start + Double(index) + 1, probability: 0.5)
        }
    }

    private static func texts(_ words: [String], _ options: SubtitleOptions) -> [String] {
        let segment = WriterFixture.segment(words.joined(), words: Self.words(words))
        return SubtitleShaper(options: options).cues(of: WriterFixture.transcript(of: [segment])).map(\.text)
    }

    @Test("line breaks in the text split neither cues nor rows", arguments: [OutputFormat.srt, .vtt, .tsv, .lrc])
    func lineBreaks(format: OutputFormat) {
        let options = SubtitleOptions(style: .whisper)
        let texts = [" one\n\n2\r\n \r00:00:01.000 > x\rthree\n", "\n\na\n", "\r", ""]
        let segments =
            texts.map { WriterFixture.segment($0) }
            + [WriterFixture.segment(" one two", words: Self.words(["\n one\n", "\r\n\ntwo"]))]
        for segment in segments {
            let text = format.writer(WriterSettings(subtitles: options)).text(
                of: WriterFixture.transcript(of: [segment]))
            #expect(!text.unicodeScalars.contains("\r"))
            switch format {
            case .srt: #expect(text.hasPrefix("1\n") && text.hasSuffix("\n\n"))
            case .vtt: #expect(text.hasPrefix("WEBVTT\n\n") && text.hasSuffix("\n\n"))
            default: #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 3, "\(text)")
            }
            let cue = text.drop { $0 != ">" }.drop { $0 != "\n" }.dropFirst()
            let lines = cue.split(separator: "\n", omittingEmptySubsequences: false)
            // Only the end of the cue is empty.
            #expect(
                lines.drop { !$0.allSatisfy(\.isWhitespace) }.allSatisfy { $0.allSatisfy(\.isWhitespace) }, "\(text)")
        }
    }

    @Test("word times are used if any segment has them")
    func laterWords() {
        let transcript = WriterFixture.transcript(of: [
            WriterFixture.segment(""), WriterFixture.segment(" a b", words: Self.words([" a", " b"], from: 5)),
        ])
        #expect(
            SubtitleShaper(options: SubtitleOptions(style: .whisper)).cues(of: transcript) == [
                SubtitleCue(start: Timestamp(seconds: 5), end: Timestamp(seconds: 7), text: "a b")
            ])
    }

    @Test("a segment without word times is kept among others that have them")
    func missingWords() {
        let transcript = WriterFixture.transcript(of: [
            WriterFixture.segment(" a b", words: Self.words([" a", " b"])),
            WriterFixture.segment(" said too ", from: 3, to: 4.5),
        ])
        #expect(
            SubtitleShaper(options: SubtitleOptions(style: .whisper)).cues(of: transcript).last
                == SubtitleCue(start: Timestamp(seconds: 3), end: Timestamp(seconds: 4.5), text: "said too"))
    }

    @Test(
        "cues and lines do not split characters",
        arguments: [
            ([" cafe", "\u{301}"], ["cafe\u{301}"]), ([" 🇩", "🇪"], ["🇩🇪"]), ([" 👩\u{200d}", "👩"], ["👩\u{200d}👩"]),
            ([" a", " b"], ["a", "b"]), (["क", "्", "ष"], ["क्ष"]),
        ])
    func characters(words: [String], expected: [String]) {
        #expect(Self.texts(words, SubtitleOptions(maxWordsPerLine: 1)) == expected)
        #expect(Self.texts(words, SubtitleOptions(maxLineWidth: 1, maxLineCount: 1)) == expected)
        let marked = Self.texts(words, SubtitleOptions(maxWordsPerLine: 1, highlightWords: true))
        #expect(marked == expected.map { "<u>\($0)</u>" })
    }

    /// What Whisper times as two words, without a blank between them.
    @Test(
        "cues and lines end only at blanks, or in scripts without blanks between any two characters",
        arguments: [
            ([" well", "-known", " price"], ["well-known", "price"]), ([" 5", ",50", " Euro"], ["5,50", "Euro"]),
            ([" J", "'essaie"], ["J'essaie"]), ([" $5", ".50,", " 25", "%"], ["$5.50,", "25%"]),
            ([" amazon", ".com"], ["amazon.com"]), ([" E", "-Mail", "-Adresse"], ["E-Mail-Adresse"]),
            ([" c'est", "-à-dire", " oui"], ["c'est-à-dire", "oui"]), ([" a", "\u{a0}b"], ["a", "b"]),
            (["今天", "天气"], ["今天", "天气"]), ([" OK", "吗？"], ["OK", "吗？"]), (["สวัสดี", "ครับ"], ["สวัสดี", "ครับ"]),
            ([" 안녕", "하세요"], ["안녕하세요"]),
        ])
    func wholeWords(words: [String], expected: [String]) {
        #expect(Self.texts(words, SubtitleOptions(maxWordsPerLine: 1)) == expected)
        #expect(Self.texts(words, SubtitleOptions(maxLineWidth: 1, maxLineCount: 1)) == expected)
        #expect(Self.texts(words, SubtitleOptions(maxLineWidth: 1)) == [expected.joined(separator: "\n")])
        // Each part is underlined while it is spoken.
        let marked = Self.texts(words, SubtitleOptions(maxWordsPerLine: 1, highlightWords: true))
        #expect(marked.count == words.count)
        #expect(marked.allSatisfy { expected.contains($0.replacing(/<\/?u>/, with: "")) }, "\(marked)")
    }

    @Test("WebVTT's text is escaped, and its markup is not", arguments: [false, true])
    func escaping(hasWords: Bool) {
        let texts = [" R&D", " <i>", " a --> b", " &lt;"]
        var segment = WriterFixture.segment(texts.joined(), words: hasWords ? Self.words(texts) : nil)
        segment.speaker = "<A>"
        let vtt = VTTWriter(options: SubtitleOptions(style: .whisper)).text(of: WriterFixture.transcript(of: [segment]))
        let arrow = hasWords ? "--&gt;" : "-&gt;"
        #expect(vtt.hasSuffix("\n<v &lt;A&gt;>R&amp;D &lt;i&gt; a \(arrow) b &amp;lt;\n\n"), "\(vtt)")
        guard hasWords else { return }
        let marked = VTTWriter(options: SubtitleOptions(highlightWords: true))
            .text(of: WriterFixture.transcript(of: [segment]))
        #expect(marked.contains("<v &lt;A&gt;><u>R&amp;D</u> &lt;i&gt; a --&gt; b"), "\(marked)")
    }

    @Test(
        "cues of speakers who talk at the same time are in order of their start",
        arguments: [
            SubtitleOptions(style: .whisper), SubtitleOptions(maxWordsPerLine: 2),
            SubtitleOptions(maxLineWidth: 8, maxLineCount: 1),
            SubtitleOptions(maxLineWidth: 8, maxLineCount: 1, highlightWords: true),
        ])
    func simultaneous(options: SubtitleOptions) {
        let texts = [" a", " bb", " ccc", " dd", " e"]
        let segments = [("A", 0.0), ("B", 1.5), ("A", 5), ("B", 6.75)].map { speaker, start in
            var segment = WriterFixture.segment(
                texts.joined(), from: start, to: start + 5, words: Self.words(texts, from: start))
            segment.speaker = speaker
            return segment
        }
        let cues = SubtitleShaper(options: options).cues(of: WriterFixture.transcript(of: segments))
        #expect(cues.map(\.start) == cues.map(\.start).sorted())
        for speaker in ["[A]", "[B]"] {
            let own = cues.filter { $0.text.hasPrefix(speaker) }
            #expect(own.count >= 2)
            for (one, next) in zip(own, own.dropFirst()) { #expect(one.end <= next.start) }
        }
    }

    @Test(
        "leading white space and a final newline are not underlined",
        arguments: [
            ("a\n", "<u>a</u>\n"), ("a\nb", "a\nb"), ("a\n\n", "a\n"), ("a", "<u>a</u>"), ("", "<u></u>"),
            ("a\u{2028}b", "<u>a\u{2028}b</u>"), (" \n", " \n<u></u>"), ("\n a", "\n <u>a</u>"),
        ])
    func underlining(word: String, expected: String) {
        // After a first word in the same line, the text is not stripped.
        #expect(Self.texts(["x", word], SubtitleOptions(highlightWords: true)).last == "x" + expected)
    }

    @Test("a pause is a cue without underlining")
    func pause() {
        let words = [
            TranscriptWord(word: " a", start: 0, end: 1, probability: 1),
            TranscriptWord(word: " b", start: 2, end: 3, probability: 1),
        ]
        let transcript = WriterFixture.transcript(of: [WriterFixture.segment(" a b", words: words)])
        let options = SubtitleOptions(highlightWords: true)
        #expect(
            SRTWriter(options: options).text(of: transcript) == """
                1
                00:00:00,000 --> 00:00:01,000
                <u>a</u> b

                2
                00:00:01,000 --> 00:00:02,000
                a b

                3
                00:00:02,000 --> 00:00:03,000
                a <u>b</u>


                """)
    }

    @Test("limits of 0 and less mean no limit", arguments: [0, -1, Int.min])
    func noLimits(limit: Int) {
        let options = SubtitleOptions(
            style: .whisper, maxLineWidth: limit, maxLineCount: limit, maxWordsPerLine: limit)
        #expect(Self.texts([" a", " b", " c"], options) == ["a b c"])
    }

    @Test("the largest limits do not overflow")
    func hugeLimits() {
        let options = SubtitleOptions(maxLineWidth: .max, maxLineCount: .max, maxWordsPerLine: .max)
        #expect(Self.texts([" a", " b", " c"], options) == ["a b c"])
    }
}
