import Foundation
import Testing

@Suite("Writers with random transcripts")
struct WriterPropertyTests {
    /// Text that has broken other writers.
    private static let fragments = [
        " word", "-->", "\n", "\r\n", "\t", "\"", "\\", "<b>", "&", "\u{0}", "\u{1b}[31m", "\u{7f}", "\u{85}",
        "\u{2028}",
        "\u{fffd}", "\u{feff}", "\u{301}", "\u{200d}", "🇩", "🇪", "👩\u{200d}👩\u{200d}👧", "今天", "क्", "ष", "\u{202e}",
        " ", "", ",", "[00:00.00]", "NOTE", "WEBVTT", "\u{10ffff}", "\u{e0001}",
        String(decoding: [0xff, 0xe2, 0x82, 0x20, 0xf0, 0x9f] as [UInt8], as: UTF8.self),
    ]

    private static func transcript(_ seed: UInt64) -> Transcript {
        var random = SplitMix64(seed: seed)
        var time = 0.0
        let withWords = Bool.random(using: &random)
        let segments = (0..<Int.random(in: 0...12, using: &random)).map { id -> TranscriptSegment in
            let start = time
            let texts = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                (0..<Int.random(in: 1...3, using: &random)).map { _ in fragments.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let words = texts.map { text -> TranscriptWord in
                let begin = time + (Bool.random(using: &random) ? 0 : Double.random(in: 0...5, using: &random))
                time = begin + Double.random(in: 0...2, using: &random)
                return TranscriptWord(
                    word: text, start: begin, end: time, probability: .random(in: 0...1, using: &random))
            }
            let hasWords = withWords && Int.random(in: 0...5, using: &random) > 0
            return WriterFixture.segment(
                texts.joined(), from: start, to: time, id: id, words: hasWords ? words : nil)
        }
        return WriterFixture.transcript(of: segments)
    }

    private static func options(_ seed: UInt64) -> SubtitleOptions {
        var random = SplitMix64(seed: seed ^ 0xabcdef)
        func limit(_ range: ClosedRange<Int>) -> Int? {
            Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
        }
        return SubtitleOptions(
            style: .whisper, maxLineWidth: limit(0...30), maxLineCount: limit(0...3), maxWordsPerLine: limit(0...4),
            highlightWords: Bool.random(using: &random))
    }

    @Test("json is printable ASCII, and every other format ends with a newline")
    func encoding() {
        for seed in 0..<UInt64(300) {
            let transcript = Self.transcript(seed)
            for format in OutputFormat.allCases {
                let writer = format.writer(WriterSettings(subtitles: Self.options(seed)))
                let bytes = Array(writer.text(of: transcript).utf8)
                if format == .json {
                    #expect(bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
                } else {
                    #expect(bytes.isEmpty || bytes.last == 10)
                }
            }
        }
    }

    @Test("subtitle cues are numbered in order and their times never go back")
    func order() throws {
        for seed in 0..<UInt64(300) {
            let cues = SubtitleShaper(options: Self.options(seed)).cues(of: Self.transcript(seed))
            for cue in cues { #expect(cue.start <= cue.end) }
            for (one, next) in zip(cues, cues.dropFirst()) { #expect(one.start <= next.start && one.end <= next.end) }
            let text = SRTWriter(options: Self.options(seed)).text(of: Self.transcript(seed))
            var expected = ""
            for (index, cue) in cues.enumerated() {
                expected += "\(index + 1)\n\(cue.start.srt) --> \(cue.end.srt)\n\(cue.text)\n\n"
            }
            #expect(text == expected)
        }
    }

    @Test("line breaks neither lose nor add text")
    func text() {
        func visible(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter { !$0.properties.isWhitespace && !(0x1c...0x1f).contains($0.value) }
        }
        var checked = 0
        for seed in 0..<UInt64(300) {
            var options = Self.options(seed)
            options.highlightWords = false
            let transcript = Self.transcript(seed)
            guard transcript.segments.contains(where: { $0.words != nil }) else { continue }
            let cues = SubtitleShaper(options: options).cues(of: transcript)
            #expect(visible(cues.map(\.text).joined()) == visible(transcript.text))
            checked += visible(transcript.text).isEmpty ? 0 : 1
        }
        #expect(checked > 100)
    }

    @Test("Foundation reads the json file back as the same transcript")
    func json() throws {
        for seed in 0..<UInt64(300) {
            let transcript = Self.transcript(seed)
            let text = JSONWriter(origin: TranscriptOrigin(version: "1", model: "m")).text(of: transcript)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect((object["text"] as? String).map { Array($0.utf8) } == Array(transcript.text.utf8))
            let origin = try #require(object["whisper_local"] as? [String: Any])
            #expect(origin["duration"] as? Double == transcript.duration)
            var bare = object
            bare["whisper_local"] = nil
            bare["duration"] = transcript.duration
            let data = try JSONSerialization.data(withJSONObject: bare)
            #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
        }
    }

    @Test("lrc has a line per segment, and quotes in csv are balanced")
    func rows() {
        for seed in 0..<UInt64(300) {
            let transcript = Self.transcript(seed)
            let lyrics = LRCWriter(options: SubtitleOptions(style: .whisper)).text(of: transcript).utf8.split(
                separator: 10)
            #expect(lyrics.count == transcript.segments.count + 1)
            #expect(lyrics.dropFirst().allSatisfy { $0.first == UInt8(ascii: "[") })
            let quotes = CSVWriter().text(of: transcript).utf8.count { $0 == UInt8(ascii: "\"") }
            #expect(quotes.isMultiple(of: 2))
        }
    }
}
