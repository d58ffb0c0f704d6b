import Testing

@Suite("Characters that segments split")
struct SplitCharacterTests {
    private static let tokenizer = VocabularyFixture.multilingual100
    private static let time = tokenizer.special.firstTimestamp

    /// One token for each byte.
    private static func ids(_ bytes: [UInt8]) throws -> [Int] {
        try bytes.map { byte in try #require(tokenizer.vocabulary.pieces.firstIndex(of: [byte])) }
    }

    private static func segment(_ start: Double, _ bytes: [UInt8], _ end: Double) throws -> [Int] {
        [time + Int(start * 50)] + (try ids(bytes)) + [time + Int(end * 50)]
    }

    /// The texts of the segments and of their words, and the whole text, of windows of 30 s with these tokens.
    private static func transcribe(
        _ windows: [[Int]], language: String = "zh", words: Bool = false
    ) throws -> (texts: [String], words: [[String]], text: String) {
        let decoder = ScriptedWindowDecoder { index, _ in
            .scripted(windows[index])
        } align: { _, alignment in
            let words = CrossAttentionAlignment.words(
                of: alignment.textTokens, tokenizer: tokenizer, language: language)
            return words.enumerated().map { index, word in
                WordTiming(
                    word: word.word, tokens: word.tokens, start: Double(index), end: Double(index + 1), probability: 1)
            }
        }
        var options = TranscriptionOptions.reference
        options.wordTimestamps = words
        options.whisper.seeksByWords = false
        var loop = SeekLoop(
            options: options, contentFrames: 3000 * windows.count, tokenizer: tokenizer, language: language,
            decoder: decoder)
        var segments: [TranscriptSegment] = []
        while let found = try loop.next() { segments += found }
        return (segments.map(\.text), segments.map { $0.words?.map(\.word) ?? [] }, loop.text)
    }

    private static let middle = Array("中".utf8)

    @Test("a character that two segments of a window share belongs to the first, as its word does", arguments: [1, 2])
    func segments(split: Int) throws {
        let window =
            try Self.segment(0, Array("在".utf8) + Self.middle[..<split], 10)
            + Self.segment(10, Self.middle[split...] + Array("国".utf8), 30)
        #expect(try Self.transcribe([window]) == (["在中", "国"], [[], []], "在中国"))
        #expect(try Self.transcribe([window], words: true) == (["在中", "国"], [["在", "中"], ["国"]], "在中国"))
    }

    @Test("a character that two windows share belongs to the second", arguments: [1, 2])
    func windows(split: Int) throws {
        let windows = [
            try Self.segment(0, Array("在".utf8) + Self.middle[..<split], 30),
            try Self.segment(0, Self.middle[split...] + Array("国".utf8), 30),
        ]
        #expect(try Self.transcribe(windows) == (["在", "中国"], [[], []], "在中国"))
        #expect(try Self.transcribe(windows, words: true) == (["在", "中国"], [["在"], ["中", "国"]], "在中国"))
    }

    @Test("four bytes in four segments and two windows are one character")
    func fourBytes() throws {
        let bytes = Array("🙂".utf8)
        let first = try Self.segment(0, [97, bytes[0]], 10) + Self.segment(10, [bytes[1]], 30)
        let second = try Self.segment(0, [bytes[2]], 10) + Self.segment(10, [bytes[3], 98], 30)
        let found = try Self.transcribe([first, second], language: "en")
        #expect(found.texts == ["a", "", "🙂", "b"] && found.text == "a🙂b")
    }

    @Test("what never becomes a whole character is left out, of words, too")
    func incomplete() throws {
        let windows = [
            try Self.segment(0, Self.middle[1...] + Array(" one".utf8) + Self.middle[..<2], 30),
            try Self.segment(0, Array(" two".utf8) + Self.middle[..<1] + Array(" three".utf8), 30),
            try Self.segment(0, Self.middle[..<2] + [], 30),
        ]
        let texts = [" one", " two three", ""]
        #expect(try Self.transcribe(windows, language: "en") == (texts, [[], [], []], " one two three"))
        let words = [[" one"], [" two", " three"], []]
        #expect(try Self.transcribe(windows, language: "en", words: true) == (texts, words, " one two three"))
    }

    @Test("volatile text has whole characters")
    func volatileText() throws {
        #expect(Self.tokenizer.text(of: try Self.ids(Array("在".utf8) + Self.middle[..<2])) == "在")
        #expect(Self.tokenizer.text(of: try Self.ids(Self.middle[2...] + Array("国\u{FFFD}".utf8))) == "国\u{FFFD}")
    }
}

private func == (
    left: (texts: [String], words: [[String]], text: String), right: ([String], [[String]], String)
) -> Bool {
    left.texts == right.0 && left.words == right.1 && left.text == right.2
}
