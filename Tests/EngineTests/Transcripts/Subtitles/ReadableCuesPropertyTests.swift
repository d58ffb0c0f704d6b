import Testing

@Suite("Readable subtitles of random transcripts")
struct ReadableCuesPropertyTests {
    private static let vocabulary: [String: [String]] = [
        "en": [
            " the", " a", " garden", " of", " and", " message.", " please,", " I", " number", " 25", " Smith", " yes?",
            " -", " …",
        ],
        "de": [
            " der", " Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihung", " und", " Haus.", " für",
            " z.B.", " 3.",
        ],
        "fr": [" le", " «", " bonjour", " »", " ?", " !", " l'eau", " de", " j'ai", " 10\u{a0}000", " %", " merci."],
        "ja": ["今日", "は", "天気", "が", "いい", "。", "「", "はい", "」", "、", "コーヒー", "きょう", "OK", " ", "３"],
        "zh": ["今天", "天气", "很", "好", "，", "。", "我们", "的", "（", "）", "WiFi"],
        "th": ["สวัสดี", "ครับ", " ", "ขอบคุณ", "เเ", "ำ", "น้ำ", "ไป"],
        "ar": [" اضغط", " على", " الرقم", "،", " واحد.", " \u{202b}نعم\u{202c}", " لا؟"],
        "xx": [
            " 👩\u{200d}👩\u{200d}👧", "🇩🇪", " e\u{301}", "\u{301}", " ", "\n", "\r\n", " -->", " <b>", " &", " {x}",
            " \\N", "\u{200b}", " \u{feff}",
        ],
    ]

    /// With or without words, speech and speakers; some times make no sense.
    private static func transcript(_ seed: UInt64) -> Transcript {
        var random = SplitMix64(seed: seed)
        let language = vocabulary.keys.sorted().randomElement(using: &random) ?? "en"
        let words = vocabulary[language] ?? []
        let (isTimed, hasSpeakers) = (Bool.random(using: &random), Int.random(in: 0..<4, using: &random) == 0)
        let isWild = Int.random(in: 0..<4, using: &random) == 0
        var time = 0.0
        let segments = (0..<Int.random(in: 0...20, using: &random)).map { id -> TranscriptSegment in
            time += Bool.random(using: &random) ? 0 : Double.random(in: 0...3, using: &random)
            let start = time
            let spoken = (0..<Int.random(in: 0...25, using: &random)).map { _ -> TranscriptWord in
                let begin = time
                time += Double.random(in: isWild ? 0...0.01 : 0.05...0.8, using: &random)
                return TranscriptWord(
                    word: words.randomElement(using: &random) ?? "", start: begin, end: time, probability: 0.5)
            }
            var segment = WriterFixture.segment(
                spoken.map(\.word).joined(), from: start, to: time, id: id,
                words: isTimed && Int.random(in: 0..<6, using: &random) > 0 ? spoken : nil)
            if hasSpeakers { segment.speaker = ["A", "Ben"].randomElement(using: &random) }
            if hasSpeakers, Bool.random(using: &random) { time = max(0, time - 1.5) }
            return segment
        }
        var transcript = WriterFixture.transcript(of: segments)
        transcript.language = language
        if Bool.random(using: &random) {
            var position = 0.0
            transcript.speech = (0..<60).map { _ in
                position += Double.random(in: 0.15...1.5, using: &random)
                let start = position
                position += Double.random(in: 0.1...4, using: &random)
                return TranscriptSpan(start: start, end: position)
            }
        }
        return transcript
    }

    private static func options(_ seed: UInt64) -> SubtitleOptions {
        var random = SplitMix64(seed: seed ^ 0x5eed)
        var options = SubtitleOptions(style: [.readable, .netflix, .bbc].randomElement(using: &random))
        if Int.random(in: 0..<3, using: &random) == 0 { options.maxLineWidth = Int.random(in: 8...50, using: &random) }
        if Int.random(in: 0..<3, using: &random) == 0 { options.maxLineCount = Int.random(in: 1...4, using: &random) }
        return options
    }

    private static func visible(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !$0.properties.isWhitespace && !(0x1c...0x1f).contains($0.value) }
    }

    @Test("no text is lost or changed")
    func text() {
        for seed in 0..<UInt64(2000) {
            let transcript = Self.transcript(seed)
            let cues = ReadableCues(Self.options(seed)).cues(of: transcript) { _ in 0 }
            for speaker in Set(transcript.segments.map(\.speaker)) {
                let spoken = transcript.segments.filter { $0.speaker == speaker }.sorted { $0.start < $1.start }
                let shown = cues.filter { $0.speaker == speaker }.flatMap { $0.lines.flatMap(\.self) }.map(\.text)
                #expect(Self.visible(shown.joined()) == Self.visible(spoken.map(\.text).joined()), "seed \(seed)")
            }
        }
    }

    @Test("no cue overlaps another, and gaps, lengths, lines and widths are within the limits")
    func limits() {
        for seed in 0..<UInt64(2000) {
            let (transcript, options) = (Self.transcript(seed), Self.options(seed))
            let isWide = ["ja", "zh"].contains(transcript.language)
            let limits = SubtitleGuideline(options, language: transcript.language, isWide: isWide)
            let cues = ReadableCues(options).cues(of: transcript) { _ in 0 }
            for cue in cues {
                #expect(cue.start < cue.end && cue.end - cue.start <= limits.longest + 0.001, "seed \(seed)")
                #expect(1...limits.lines ~= cue.lines.count, "seed \(seed)")
                for line in cue.lines where line.count > 1 {
                    let width = DisplayWidth.columns(of: line.map(\.text).joined())
                    #expect(width <= max(limits.width, options.maxLineWidth ?? 42), "seed \(seed): \(line.map(\.text))")
                }
            }
            for (one, next) in zip(cues, cues.dropFirst()) {
                let gap = next.start - one.end
                let touches = limits.touches && abs(gap) < 0.0001
                #expect(touches || gap >= limits.gap - 0.0001, "seed \(seed)")
            }
        }
    }

    @Test("files of every format can be read back: one cue after another, none empty")
    func files() {
        for seed in 0..<UInt64(500) {
            var options = Self.options(seed)
            options.highlightWords = seed % 2 == 0
            let transcript = Self.transcript(seed)
            let cues = SubtitleShaper(options: options).cues(of: transcript)
            for cue in cues {
                #expect(cue.start <= cue.end && !cue.text.isEmpty, "seed \(seed)")
                #expect(!cue.text.contains("-->") && !cue.text.contains("\n\n"), "seed \(seed)")
            }
            for (one, next) in zip(cues, cues.dropFirst()) { #expect(one.end <= next.start, "seed \(seed)") }
            let ass = ASSWriter(options: options).text(of: transcript)
            #expect(ass.split(separator: "\n").count { $0.hasPrefix("Dialogue: ") } == cues.count)
        }
    }
}
