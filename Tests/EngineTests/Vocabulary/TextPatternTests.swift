import Testing

@Suite("Regular expressions")
struct TextPatternTests {
    @Test(
        "matches, groups and preferences are those of Perl",
        arguments: [
            // Expression, text, match and groups; nil for none. Each was checked with Python's `re`.
            ("a", "xa", ["a"]), ("a|ab", "ab", ["a"]), ("ab|a", "ab", ["ab"]), ("a*", "baa", [""]),
            ("a+", "baa", ["aa"]),
            ("a+?", "baa", ["a"]), ("(a+)(a*)", "aaa", ["aaa", "aaa", ""]), ("(a+?)(a*)", "aaa", ["aaa", "a", "aa"]),
            ("(?:ab)+", "xababa", ["abab"]), ("a{2}", "aaa", ["aa"]), ("a{2,}", "aaa", ["aaa"]),
            ("a{1,2}?", "aaa", ["a"]),
            ("(\\d+) mils?", "take 50 mils", ["50 mils", "50"]), ("[a-c]+", "xabcd", ["abc"]),
            ("[^a-c]+", "abxyc", ["xy"]),
            ("[]a]+", "x]a", ["]a"]), ("[a-]+", "b-a", ["-a"]), ("\\bcat\\b", "concat cat", ["cat"]),
            ("\\Bcat", "cat concat", ["cat"]), ("^a", "ba", nil), ("a$", "ab", nil), ("a$", "ba", ["a"]),
            ("(a)|(b)", "b", ["b", "", "b"]), ("(a|b)*c", "abac", ["abac", "a"]), (".", "\n", nil),
            ("\\$\\.", "$.", ["$."]),
            ("(a*)*b", "aaac", nil), ("(a*)+", "b", ["", ""]), ("[\\d.]+", "v1.25x", ["1.25"]),
            ("größe", "Größe", ["Größe"]),
            ("Größe", "größe", nil), ("caf\u{e9}", "cafe\u{301}", ["café"]), ("\\w+", "l'été", ["l"]),
            ("x*?y", "xxy", ["xxy"]),
        ] as [(String, String, [String]?)])
    func matches(expression: String, text: String, wanted: [String]?) throws {
        let characters = Array(text)
        let match = try TextPattern(expression).firstMatch(in: characters)
        #expect(
            match.map { [String(characters[$0.range])] + $0.groups.map { $0.map { String(characters[$0]) } ?? "" } }
                == wanted)
    }

    @Test("no pattern takes more than linear time")
    func time() throws {
        let text = Array(String(repeating: "a", count: 2000))
        let patterns = try ["(a+)+b", "(a|a)*(a|a)*c"].map { try TextPattern($0) }
        let duration = ContinuousClock().measure {
            for pattern in patterns { #expect(pattern.firstMatch(in: text) == nil) }
        }
        #expect(duration < .seconds(2))
    }

    @Test(
        "mistakes are explained where they are",
        arguments: [
            ("", 0, "the expression is empty"), ("(a", 0, "never closed"), ("a)", 1, "closes nothing"),
            ("*a", 0, "nothing to repeat"), ("a**", 2, "cannot be repeated"), ("[a", 0, "never closed"),
            ("a{3,1}", 1, "ends before it starts"), ("a{x}", 1, "{2,5}"), ("(a)\\1", 3, "not supported"),
            ("(?=a)", 0, "no look-around"), ("a\\", 1, "nothing follows"), ("[z-a]", 1, "backwards"),
            ("a{9999}", 1, "at most 1000"), ("(?:a{100}){100}", 0, "repeats too much"),
            (String(repeating: "(", count: 60), 50, "nested too deeply"),
        ])
    func mistakes(expression: String, offset: Int, reason: String) {
        do {
            _ = try TextPattern(expression)
            Issue.record("no error")
        } catch {
            #expect(error.offset == offset)
            #expect(error.description.contains(reason), "\(error)")
        }
    }
}
