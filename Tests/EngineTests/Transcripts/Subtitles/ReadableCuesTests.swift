import Foundation
import Testing

@Suite("Readable subtitles")
struct ReadableCuesTests {
    /// A transcript of one segment; words of equal length in time if asked for.
    private static func transcript(
        _ text: String, language: String = "en", from start: Double = 0, to end: Double = 0, isTimed: Bool = false
    ) -> Transcript {
        let end = end > start ? end : start + Double(text.count) / 14
        let parts = text.split(separator: " ")
        let length = (end - start) / Double(parts.count)
        let words = parts.enumerated().map { index, part in
            TranscriptWord(
                word: " " + part, start: start + Double(index) * length, end: start + Double(index + 1) * length,
                probability: 1)
        }
        var transcript = WriterFixture.transcript(of: [
            WriterFixture.segment(" " + text, from: start, to: end, words: isTimed ? words : nil)
        ])
        transcript.language = language
        return transcript
    }

    private static func texts(
        _ text: String, language: String = "en", _ options: SubtitleOptions = SubtitleOptions()
    ) -> [String] {
        SubtitleShaper(options: options).cues(of: transcript(text, language: language)).map(\.text)
    }

    @Test(
        "segments are joined with a blank, but not between scripts that have none",
        arguments: [
            ("ja", "これはとても", "長い文です。", "これはとても長い文です。"), ("zh", "请留言，", "谢谢。", "请留言，谢谢。"),
            ("ko", "안녕", "하세요", "안녕 하세요"), ("en", " It is", " late.", "It is late."),
            ("fr", "Il est", "tard.", "Il est tard."),
        ])
    func joined(language: String, first: String, second: String, whole: String) {
        var transcript = WriterFixture.transcript(of: [
            WriterFixture.segment(first, from: 0, to: 1), WriterFixture.segment(second, from: 1, to: 2),
        ])
        transcript.language = language
        #expect(SubtitleShaper().cues(of: transcript).map(\.text) == [whole])
    }

    @Test("short sentences stay whole in one line, and are cues of their own")
    func sentences() {
        #expect(
            Self.texts("Where did you put the short chair? It is behind the garden door of the house.") == [
                "Where did you put the short chair?", "It is behind the garden door of the house.",
            ])
    }

    @Test(
        "lines and cues break at signs and before, not after, the words that lead to the next",
        arguments: [
            ("en", "If you would like to leave a message for the garden service, please press the number one now."),
            (
                "en",
                "The chair that my brother bought in the market of the old town was more expensive than it looked to us all."
            ),
            (
                "fr",
                "Veuillez composer le numéro de la personne que vous souhaitez appeler dans le répertoire de l'entreprise."
            ),
            (
                "de",
                "Wenn Sie eine Nachricht für den Besitzer der Wohnung hinterlassen möchten, drücken Sie bitte die Eins."
            ),
            (
                "es",
                "Para escuchar el mensaje de la persona que llamó a la oficina por la mañana, pulse la tecla de la estrella."
            ),
            (
                "it",
                "Per ascoltare il messaggio della persona che ha chiamato l'ufficio di mattina, premere il tasto con la stella."
            ),
            (
                "ru",
                "Чтобы прослушать сообщение от человека, который звонил в контору утром, нажмите на кнопку со звездой."
            ),
        ])
    func weakWords(language: String, text: String) {
        let cues = Self.texts(text, language: language)
        let lines = cues.flatMap { $0.split(separator: "\n") }
        #expect(lines.count >= 2)
        #expect(lines.joined(separator: " ") == text)
        let leading = LeadingWords.of(language)
        for line in lines.dropLast() {
            #expect(line.count <= 42)
            let last = line.split { !$0.isLetter }.last.map { $0.lowercased() } ?? ""
            #expect(!leading.contains(last) || line.last?.isPunctuation == true, "\(lines)")
        }
    }

    @Test(
        "what belongs together is never divided",
        arguments: [
            (
                "de",
                "Die Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft tagt heute in Wien."
            ),
            (
                "en",
                "A family 👩\u{200d}👩\u{200d}👧\u{200d}👦 and a flag 🇩🇪 and a cafe\u{301} and 5,50 and well-known www.example.com/a/very/long/address/of/a/page"
            ),
            (
                "fr",
                "Combien coûte ceci ? Je vous le demande : « cinq euros », dit-il ! Et 25 % de plus ; merci beaucoup à vous."
            ),
            ("ar", "اضغط على الرقم واحد لترك رسالة، أو انتظر حتى يجيب أحد الموظفين على مكالمتك بعد قليل من الوقت."),
        ])
    func wholeWords(language: String, text: String) {
        let lines = Self.texts(text, language: language).flatMap { $0.split(separator: "\n") }
        #expect(lines.joined(separator: " ") == text)
        for line in lines {
            #expect(DisplayWidth.columns(of: String(line)) <= 42 || !line.contains(" "), "\(line)")
            #expect(!["?", ":", "»", "!", "%", ";"].contains(line.first.map(String.init) ?? ""), "\(lines)")
            #expect(line.last != "«")
        }
    }

    @Test(
        "text without blanks breaks where its script allows",
        arguments: [
            ("ja", "本日はお電話をいただきましてありがとうございます。ただいま電話が大変込み合っておりますので、しばらくたってからおかけ直しください。「はい」とおっしゃってください。", 26),
            ("zh", "您好，欢迎致电本公司客户服务中心。请在听到提示音以后留言，我们的工作人员会尽快与您联系。谢谢您的耐心等待，祝您生活愉快。", 32),
            ("th", "ขอบคุณที่โทรหาเรา กรุณารอสักครู่ เจ้าหน้าที่ของเราจะรับสายของท่านในไม่ช้า ขอขอบคุณที่ท่านรอสายนะคะ", 35),
        ])
    func noBlanks(language: String, text: String, width: Int) {
        let lines = Self.texts(text, language: language).flatMap { $0.split(separator: "\n") }
        #expect(lines.count > 2)
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        for line in lines {
            #expect(DisplayWidth.columns(of: String(line)) <= width, "\(line)")
            #expect(!"、。，！？」』）ー々ぁぃぅぇぉっゃゅょะาำ".contains(line.first ?? "a"), "\(lines)")
            #expect(!"「『（เแโใไ".contains(line.last ?? "a"), "\(lines)")
        }
    }

    @Test("a translation into English has English lines, whatever is spoken")
    func translation() {
        var options = SubtitleOptions()
        options.language = "en"
        let text = "The number that you have dialled is not in service."
        #expect(Self.texts(text, language: "ja", options).joined(separator: "\n").contains("\n"))
        #expect(Self.texts(String(text.prefix(32)), language: "ja", options) == [String(text.prefix(32))])
    }

    @Test("the limits of the styles, and of the options", arguments: SubtitleStyle.allCases)
    func styles(style: SubtitleStyle) {
        let text = (0..<40).map { "word\($0)" }.joined(separator: " ")
        func widest(_ options: SubtitleOptions) -> (width: Int, lines: Int) {
            let cues = Self.texts(text, options).map { $0.split(separator: "\n") }
            return (cues.flatMap { $0.map(\.count) }.max() ?? 0, cues.map(\.count).max() ?? 0)
        }
        guard style != .whisper else { return #expect(widest(SubtitleOptions(style: style)).width == text.count) }
        #expect(30...(style == .bbc ? 37 : 42) ~= widest(SubtitleOptions(style: style)).width)
        #expect(widest(SubtitleOptions(style: style)).lines == 2)
        let narrow = widest(SubtitleOptions(style: style, maxLineWidth: 20, maxLineCount: 3))
        #expect(narrow.width <= 20 && narrow.lines <= 3)
        #expect(widest(SubtitleOptions(style: style, maxLineCount: 1)).lines == 1)
        let few = Self.texts(text, SubtitleOptions(style: style, maxWordsPerLine: 2))
        #expect(few.allSatisfy { $0.split { $0.isWhitespace }.count <= 2 })
    }

    @Test("openai-whisper's options choose its style, unless another one is given")
    func chosenStyle() {
        #expect(SubtitleOptions().chosenStyle == .readable)
        #expect(SubtitleOptions(maxLineWidth: 0).chosenStyle == .readable)
        #expect(SubtitleOptions(maxLineWidth: 42).chosenStyle == .whisper)
        #expect(SubtitleOptions(highlightWords: true).chosenStyle == .whisper)
        #expect(SubtitleOptions(style: .netflix, maxLineWidth: 42, highlightWords: true).chosenStyle == .netflix)
    }

    @Test("cues stay long enough to be read but not far beyond the speech, and touch or are two frames apart")
    func times() {
        func segments(_ times: [(Double, Double)]) -> Transcript {
            WriterFixture.transcript(of: times.map { WriterFixture.segment(" Yes, I do.", from: $0.0, to: $0.1) })
        }
        let close = SubtitleShaper().cues(of: segments([(0, 1.2), (1.2, 2.4)]))
        #expect(close.map(\.start.milliseconds) == [0, 1200])
        #expect(close.map(\.end.milliseconds) == [1200, 2400])
        let near = SubtitleShaper().cues(of: segments([(0, 0.6), (0.8, 2)]))
        #expect(near.map(\.end.milliseconds) == [716, 2000])
        let short = SubtitleShaper().cues(of: segments([(0, 0.2), (5, 5.2)]))
        #expect(short.map(\.end.milliseconds) == [833, 5833])
        let netflix = SubtitleShaper(options: SubtitleOptions(style: .netflix))
            .cues(of: segments([(0, 1.2), (1.6, 2.8), (2.8, 4)]))
        #expect(netflix.map(\.end.milliseconds) == [1516, 2716, 4000])
    }

    @Test("a pause ends a cue, even inside a sentence")
    func pause() {
        let words =
            [" I", " think"].enumerated().map {
                TranscriptWord(word: $1, start: Double($0), end: Double($0) + 1, probability: 1)
            } + [TranscriptWord(word: " so", start: 5, end: 6, probability: 1)]
        let transcript = WriterFixture.transcript(of: [WriterFixture.segment(" I think so", to: 6, words: words)])
        #expect(SubtitleShaper().cues(of: transcript).map(\.text) == ["I think", "so"])
    }

    @Test("each word is underlined while it is spoken, in the lines of the cue")
    func highlighting() {
        let transcript = Self.transcript("We met in the garden behind the house of my younger brother.", isTimed: true)
        let plain = SubtitleShaper().cues(of: transcript)
        let marked = SubtitleShaper(options: SubtitleOptions(style: .readable, highlightWords: true)).cues(
            of: transcript)
        #expect(plain.count == 1 && plain[0].text.contains("\n"))
        #expect(marked.count == 12)
        #expect(Set(marked.map { $0.text.replacing(/<\/?u>/, with: "") }) == [plain[0].text])
        #expect(
            marked.map { $0.text.firstMatch(of: /<u>(.*)<\/u>/)?.1 ?? "" }.joined(separator: " ")
                == plain[0].text.replacing("\n", with: " "))
        #expect(marked.first?.start == plain[0].start && marked.last?.end == plain[0].end)
        for (one, next) in zip(marked, marked.dropFirst()) { #expect(one.end == next.start) }
    }

    @Test("a new speaker has a new cue, with the name in its first line")
    func speakers() {
        var segments = [
            WriterFixture.segment(" I will call you back as soon as", from: 0, to: 2),
            WriterFixture.segment(" the office is open again.", from: 2, to: 4),
            WriterFixture.segment(" Thank you.", from: 3.5, to: 5),
        ]
        for (index, speaker) in ["A", "A", "B"].enumerated() { segments[index].speaker = speaker }
        let transcript = WriterFixture.transcript(of: segments)
        let cues = SubtitleShaper().cues(of: transcript)
        #expect(
            cues.map(\.text) == ["[A] I will call you back as soon\nas the office is open again.", "[B] Thank you."])
        #expect(cues[0].end.milliseconds == 3500)
        #expect(SubtitleShaper(markup: .webVTT).cues(of: transcript)[1].text == "<v B>Thank you.")
        let ass = ASSWriter().text(of: transcript)
        #expect(ass.contains(",Default,A,0,0,0,,[A] I will call you back as soon\\Nas the"), "\(ass)")
    }

    @Test("lrc has a line of one width for each line of subtitles")
    func lyrics() {
        let text = "If you would like to leave a message for the garden service, please press the number one now."
        let lines = LRCWriter().text(of: Self.transcript(text)).split(separator: "\n").dropFirst()
        #expect(lines.count >= 3)
        #expect(lines.map { $0.drop { $0 != "]" }.dropFirst(2) }.joined(separator: " ") == text)
        #expect(lines.allSatisfy { $0.count <= 42 + 11 })
    }

    @Test("ten hours take seconds", .timeLimit(.minutes(3)))
    func tenHours() {
        var time = 0.0
        let segments = (0..<9000).map { id -> TranscriptSegment in
            let words = (0..<10).map { index -> TranscriptWord in
                time += 0.4
                let word = index == 9 && id % 2 == 0 ? " word." : index % 3 == 0 ? " the" : " words\(id % 7)"
                return TranscriptWord(word: word, start: time - 0.4, end: time - 0.05, probability: 1)
            }
            return WriterFixture.segment(
                words.map(\.word).joined(), from: words[0].start, to: time, id: id, words: id % 3 == 0 ? nil : words)
        }
        var transcript = WriterFixture.transcript(of: segments)
        transcript.speech = (0..<12_000).map { TranscriptSpan(start: Double($0) * 3, end: Double($0) * 3 + 2.8) }
        let clock = ContinuousClock()
        var count = 0
        let took = clock.measure { count = SubtitleShaper().cues(of: transcript).count }
        #expect(count > 6000)
        #expect(took < .seconds(30), "\(took)")
    }
}
