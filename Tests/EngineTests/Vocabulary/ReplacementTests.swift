import Testing

@Suite("Replacement rules")
struct ReplacementTests {
    private static func corrected(_ text: String, _ vocabulary: String) throws -> String {
        let vocabulary = try UserVocabulary(vocabulary)
        return TextCorrection(terms: [], rules: vocabulary.rules, language: "en").corrected(text)
    }

    @Test(
        "rules match words, whatever their case, blanks, hyphens and apostrophes",
        arguments: [
            ("engine x => nginx", " Use Engine X, or engine-x.", " Use nginx, or nginx."),
            ("engine x => nginx", "the engine  x and engine\u{a0}x", "the nginx and nginx"),
            ("engine x => nginx", "engine xylophone, hyperengine x", "engine xylophone, hyperengine x"),
            ("größe => Maß", "Die GRÖßE und die Größenordnung", "Die Maß und die Größenordnung"),
            ("caf\u{e9} => bar", "the cafe\u{301}", "the bar"),
            ("o’neil => O'Neill", "ask O'Neil", "ask O'Neill"),
            ("o'neil => O'Neill", "ask o’neil", "ask O'Neill"),
            // A capital letter asks for the same case.
            ("IT => information technology", "it is IT", "it is information technology"),
            // No word boundaries without blanks.
            ("東京都 => 東京", "私は東京都に住む", "私は東京に住む"),
            ("กรุงเทพ => Bangkok", "ไปกรุงเทพมหานคร", "ไปBangkokมหานคร"),
            ("서울 => Seoul", "서울 서울에서", "Seoul 서울에서"),
            // Punctuation has no boundaries.
            (": => ;", "a:b", "a;b"), ("c++ => Cpp", "in C++ or C++14", "in Cpp or Cpp14"),
        ])
    func matching(vocabulary: String, text: String, wanted: String) throws {
        #expect(try Self.corrected(text, vocabulary) == wanted)
    }

    @Test(
        "the longest rule applies, from left to right and once",
        arguments: [
            ("a => 1\na b => 2\na b c => 3", "a b c a b a", "3 2 1"),
            ("a => b\nb => c", "a b", "b c"),
            ("a b => x\nb c d => y", "a b c d", "x c d"),
            ("a => 1\na => 2", "a", "1"),
            // A hyphen on the left is only a hyphen.
            ("a-b => x\na b => y", "a-b a b", "x y"),
        ])
    func order(vocabulary: String, text: String, wanted: String) throws {
        #expect(try Self.corrected(text, vocabulary) == wanted)
    }

    @Test(
        "an empty right side deletes the words with a blank, and with a comma that is left over",
        arguments: [
            ("Well um yes.", "Well yes."), (" Um, yes.", " yes."), ("I think, um, that", "I think, that"),
            ("um", ""), ("That is it, um.", "That is it,."), ("um yes", "yes"), ("(um yes)", "(yes)"),
        ])
    func deletion(text: String, wanted: String) throws {
        #expect(try Self.corrected(text, "um =>") == wanted)
    }

    @Test(
        "patterns replace what the rules for words have left",
        arguments: [
            ("/(\\d+) mils?/ => $1 mg", "take 50 mils or 1 mil", "take 50 mg or 1 mg"),
            ("/(\\d+) dollars/ => $$$1", "5 Dollars", "$5"), ("/x*/ => y", "axxa", "aya"),
            ("one two => 12\n/two three/ => 23\n/three/ => 3", "one two three", "12 3"),
            ("/[,.] uh\\b/ =>", "so, uh it", "so it"), ("/(a)|b/ => <$1>", "ab", "<a><>"),
        ])
    func patterns(vocabulary: String, text: String, wanted: String) throws {
        #expect(try Self.corrected(text, vocabulary) == wanted)
    }

    // MARK: Words

    private static func segment(_ words: [String]) -> TranscriptSegment {
        TranscriptSegment(
            id: 0, start: 0, end: Double(words.count), text: words.joined(), tokens: [1, 2], avgLogprob: -1,
            words: words.enumerated().map {
                TranscriptWord(word: $1, start: Double($0), end: Double($0) + 1, probability: 0.5, speaker: "A")
            })
    }

    @Test(
        "new words share the time of those that they replace",
        arguments: [
            ("engine x => nginx", [" Use", " engine", " x."], [" Use 0-1", " nginx. 1-3"]),
            ("nginx => engine x", [" \"nginx\""], [" \"engine 0.0-0.7", " x\" 0.7-1.0"]),
            ("new york => New York", [" new", " york,"], [" New 0-1", " York, 1-2"]),
            ("um =>", [" Well,", " um,", " yes"], [" Well, 0-1", " yes 2-3"]),
            ("um =>", [" Um", " yes", " um", "."], [" yes 1-2", ". 3-4"]),
            ("um =>", [" um"], []),
            ("re-entered => came back", [" re", "-entered", " it"], [" came 0-1", " back 1-2", " it 2-3"]),
        ])
    func words(vocabulary: String, words: [String], wanted: [String]) throws {
        let vocabulary = try UserVocabulary(vocabulary)
        let correction = TextCorrection(terms: [], rules: vocabulary.rules, language: "en")
        let segment = correction.corrected(Self.segment(words))
        func text(_ time: Double, _ isWhole: Bool) -> String {
            isWhole ? "\(Int(time))" : "\((time * 10).rounded() / 10)"
        }
        let found = (segment.words ?? []).map { word in
            let isWhole = word.start == word.start.rounded() && word.end == word.end.rounded()
            return "\(word.word) \(text(word.start, isWhole))-\(text(word.end, isWhole))"
        }
        #expect(found == wanted)
        #expect(segment.text == (segment.words ?? []).map(\.word).joined())
        #expect((segment.words ?? []).allSatisfy { $0.speaker == "A" && $0.probability == 0.5 })
        #expect(segment.tokens == [1, 2])
    }

    @Test("text without words, and with words that do not spell it, is replaced too")
    func withoutWords() throws {
        let correction = TextCorrection(terms: [], rules: try UserVocabulary("a => b").rules, language: "en")
        var segment = Self.segment([" a"])
        segment.text = " a c"
        let corrected = correction.corrected(segment)
        #expect(corrected.text == " b c")
        #expect(corrected.words?.map(\.word) == [" b"])
        segment.words = nil
        #expect(correction.corrected(segment).text == " b c")
        #expect(correction.corrected(segment).words == nil)
    }

    @Test("the sounds of a term are replaced by it")
    func sounds() throws {
        let vocabulary = try UserVocabulary("Siobhan ~ shivawn, sh'von")
        let correction = TextCorrection(terms: vocabulary.terms, rules: [], language: "en")
        #expect(correction.corrected("Shivawn's friend, Sh’von") == "Siobhan's friend, Siobhan")
    }

    @Test("what may become the left side of a rule is known")
    func openStart() throws {
        let matcher = RuleMatcher(try UserVocabulary("engine x y => z\nIT is => x").rules, terms: [])
        for (text, start) in [
            ("an engine", 3), ("an engine x", 3), ("an Engine-x ", 3), ("an engine x y", 13), ("an engine.", 10),
            ("engine a", 8),
            ("it", 2), ("IT", 0), ("", 0),
        ] {
            #expect(matcher.openStart(in: Array(text)) == start, "\(text)")
        }
    }
}
