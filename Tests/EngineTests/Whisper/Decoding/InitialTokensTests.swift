import Testing

@Suite("Initial tokens")
struct InitialTokensTests {
    static let specials = SpecialTokens(vocabularySize: 51_865)
    static let sot = [50_258, 50_259, 50_359]
    static let previous = 50_361

    static func make(_ change: (inout DecodingOptions) -> Void) -> InitialTokens {
        var options = DecodingOptions()
        change(&options)
        return InitialTokens(sotSequence: sot, options: options, specials: specials, contextLength: 448)
    }

    static func ids(_ count: Int) -> [Int] { Array(1..<(count + 1)) }

    @Test("by default there is only the start sequence")
    func plain() {
        let initial = Self.make { _ in }
        #expect(initial.tokens == Self.sot)
        #expect(initial.sotIndex == 0)
        #expect(Self.make { $0.withoutTimestamps = true }.tokens == Self.sot + [50_363])
    }

    @Test("a prompt is cut to its last 223 ids", arguments: [1, 223, 224, 1000])
    func prompt(count: Int) {
        let initial = Self.make { $0.prompt = Self.ids(count) }
        #expect(initial.tokens == [Self.previous] + Self.ids(count).suffix(223) + Self.sot)
        #expect(initial.sotIndex == min(count, 223) + 1)
    }

    @Test(
        "a prefix is limited to the room that the sample length leaves",
        arguments: [(nil, 300, 1, 300), (224, 300, 1, 300), (200, 300, 277, 300), (220, 3, 1, 3), (230, 10, 7, 10)])
    func prefix(sampleLength: Int?, count: Int, first: Int, last: Int) {
        let initial = Self.make {
            $0.prefix = Self.ids(count)
            $0.sampleLength = sampleLength
        }
        #expect(initial.tokens == Self.sot + Array(first...last))
    }

    @Test("a prefix that is part of the text follows a timestamp of 0, cut to its first 223 ids")
    func prefixInText() {
        let time = Self.specials.firstTimestamp
        let initial = Self.make { ($0.prefix, $0.prefixInText) = (Self.ids(300), true) }
        #expect(initial.forced == [time] + Self.ids(223) && initial.tokens == Self.sot + initial.forced)
        let untimed = Self.make { ($0.prefix, $0.prefixInText, $0.withoutTimestamps) = ([7], true, true) }
        #expect(untimed.forced == [7] && untimed.tokens == Self.sot + [50_363, 7])
        #expect(Self.make { $0.prefixInText = true } == Self.make { _ in })
        #expect(Self.make { $0.prefix = [7] }.forced.isEmpty)
    }

    @Test("a sample length far above half the context drops the whole prefix")
    func noRoom() {
        let initial = Self.make {
            $0.prefix = Self.ids(5)
            $0.sampleLength = 400
        }
        #expect(initial.tokens == Self.sot)
    }

    @Test("hotwords precede the prompt, cut to their first 223 ids, and are replaced by a prefix")
    func hotwords() {
        #expect(Self.make { $0.hotwords = Self.ids(300) }.tokens == [Self.previous] + Self.ids(223) + Self.sot)
        let both = Self.make {
            $0.hotwords = [7, 8]
            $0.prompt = Self.ids(300)
        }
        #expect(both.tokens == [Self.previous, 7, 8] + Self.ids(300).suffix(223) + Self.sot)
        let hidden = Self.make {
            $0.hotwords = [7, 8]
            $0.prefix = [9]
        }
        #expect(hidden.tokens == Self.sot + [9])
    }

    @Test("long hotwords and a long prompt leave a quarter of the context free")
    func room() {
        let initial = Self.make {
            $0.hotwords = Self.ids(300)
            $0.prompt = Array(1001...1300)
        }
        #expect(initial.tokens.count == 448 - 112)
        #expect(initial.tokens == [Self.previous] + Self.ids(223) + Array(1192...1300) + Self.sot)
    }

    @Test("hotwords and prompts are combined as in faster-whisper")
    func faster() throws {
        struct File: Decodable {
            struct Case: Decodable {
                let signal: String
                let name: String
                let prompts: [[Int]]
            }
            let cases: [Case]
        }
        let specials = SpecialTokens(vocabularySize: 51_866)
        let names = [
            "greedy", "hotwords", "hotwords-and-prompt", "prompt-ids", "no-timestamps", "no-condition", "clips",
        ]
        let cases = try Fixtures.decoding("faster/decode", as: File.self).cases.filter {
            names.contains($0.name)
        }
        #expect(cases.count == 10)
        let hotwords = ["hotwords": [32_276, 6130, 779, 617, 11, 15_742, 13_438, 610]]
        let named = hotwords.merging(["hotwords-and-prompt": [32_276, 6130, 779, 617]]) { first, _ in first }
        for one in cases {
            for prompt in one.prompts {
                // The previous text lies between the hotwords and the start.
                var options = DecodingOptions()
                options.withoutTimestamps = one.name == "no-timestamps"
                options.hotwords = named[one.name] ?? []
                let start = try #require(prompt.firstIndex(of: specials.startOfTranscript))
                options.prompt = Array(prompt[..<start].dropFirst(1 + options.hotwords.count))
                let initial = InitialTokens(
                    sotSequence: [specials.startOfTranscript, specials.firstLanguage, specials.transcribe],
                    options: options, specials: specials, contextLength: 448)
                #expect(initial.tokens == prompt, "\(one.signal), \(one.name)")
                #expect(initial.sotIndex == start)
            }
        }
    }
}
