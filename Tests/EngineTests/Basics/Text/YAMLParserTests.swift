import Testing

@Suite("YAML")
struct YAMLParserTests {
    private static func parse(_ text: String, depth: Int = 8, members: Int = 100) throws(JSONValue.Problem) -> JSONValue
    {
        try JSONValue(yaml: Array(text.utf8), depth: depth, members: members)
    }

    /// The same value in JSON.
    private static func json(_ text: String) throws -> JSONValue {
        try JSONValue(Array(text.utf8), depth: 8, members: 100)
    }

    @Test(
        "maps, lists and scalars are those of a YAML library",
        arguments: [
            ("", "null"), ("a: 1\nb: x y\n", #"{"a": 1, "b": "x y"}"#), ("---\na: 1", #"{"a": 1}"#),
            ("a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", #"{"a": {"b": {"c": 1}, "d": 2}, "e": 3}"#),
            ("a:\n- 1\n- 2\nb: 3\n", #"{"a": [1, 2], "b": 3}"#), ("a:\n  - 1\n  - 2\n", #"{"a": [1, 2]}"#),
            ("- - 70\n  - 13\n- - 70\n  - 6\n", "[[70, 13], [70, 6]]"),
            ("- a: 1\n  b: 2\n- c\n-\n- d:\n  - e\n", #"[{"a": 1, "b": 2}, "c", null, {"d": ["e"]}]"#),
            ("a: [1, [2, x y], {b: c, 'd': [ ]}, ]\n", #"{"a": [1, [2, "x y"], {"b": "c", "d": []}]}"#),
            ("a: [1,\n  2]\nb: {}\n", #"{"a": [1, 2], "b": {}}"#),
            ("# one\na: 1 # two\n\n  # three\nb: x#y\n", #"{"a": 1, "b": "x#y"}"#),
            ("a: null\nb: ~\nc:\nd: ''\n", #"{"a": null, "b": null, "c": null, "d": ""}"#),
            ("a: true\nb: no\nc: 'no'\nno: 1\n", #"{"a": true, "b": false, "c": "no", "no": 1}"#),
            (
                "a: -1\nb: 0.97\nc: 010\nd: 1.0e-05\ne: 1.2.3\nf: -\u{2581}\n",
                #"{"a": -1, "b": 0.97, "c": "010", "d": 1.0e-05, "e": "1.2.3", "f": "-▁"}"#
            ),
            (#"a: "\u2581t\n\"\x41""# + "\nb: 'it''s'\n", #"{"a": "▁t\n\"A", "b": "it's"}"#),
            ("a: \"x \\\n  y\"\nb: 'x\n  y'\nc: x\n  y\n", #"{"a": "x y", "b": "x y", "c": "x y"}"#),
            ("a: 'x\n\n  y\n\n\n  z'\n", #"{"a": "x\ny\n\nz"}"#),
            (
                "a: nemo:x.model\nb: ${a.b}\nc: ???\nd: http://x\n",
                #"{"a": "nemo:x.model", "b": "${a.b}", "c": "???", "d": "http://x"}"#
            ),
            ("'a b': 1\n\"c\": 2\r\n", #"{"a b": 1, "c": 2}"#),
        ])
    func values(text: String, expected: String) throws {
        #expect(try Self.parse(text) == Self.json(expected), "\(text)")
    }

    @Test(
        "what cannot be understood is an error that says where",
        arguments: [
            ("a: &x 1\nb: *x\n", 3, "begins a value with"), ("a: !!python/name:x\n", 3, "begins a value with"),
            ("a: |\n  x\n", 3, "begins a value with"), ("a: 1\n\tb: 2\n", 5, "tab"),
            ("a: 1\na: 2\n", 7, "repeats the key a"),
            ("a: 1\n  b: 2\n", 8, "continues a value"), ("a:\n  b: 1\n c: 2\n", 11, "indentation"),
            ("a: 1\n- 2\n", 5, "wrong place"), ("a: [1, 2\n", 9, "brackets"), ("a: {b\n", 5, "without a value"),
            ("a: 'x\n", 6, "ends inside quotes"),
            ("a: \"\\q\"\n", 6, "escape"), ("a: \"\\ud800\"\n", 6, "escape"), ("a: b: c\n", 4, "continues a value"),
            ("a: 'b' c\n", 7, "continues a value"), ("? a\n: b\n", 0, "wrong place"),
            ("a\nb: 1", 3, "continues a value"),
        ])
    func problems(text: String, offset: Int, what: String) {
        do throws(JSONValue.Problem) {
            Issue.record("\(try Self.parse(text))")
        } catch { #expect(error.offset == offset && error.what.contains(what), "\(text): \(error)") }
    }

    @Test("depth and number of entries are limited")
    func limits() {
        for text in [
            String(repeating: "- ", count: 100_000), String(repeating: "[", count: 100_000),
            (0..<500).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
        ] { #expect(throws: JSONValue.Problem.self) { try Self.parse(text) } }
        #expect(throws: JSONValue.Problem.self) { try Self.parse(String(repeating: "- a\n", count: 101)) }
        #expect(throws: JSONValue.Problem.self) { try Self.parse("a: \u{1}") }
        #expect(throws: JSONValue.Problem.self) { try JSONValue(yaml: [0x61, 0x3a, 0x20, 0xff], depth: 8, members: 8) }
    }
}
