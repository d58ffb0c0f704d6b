import Testing

@Suite("JSON text")
struct JSONTextTests {
    @Test(
        "strings escape what JSON requires, and everything beyond ASCII on request",
        arguments: [
            (#"a "b" \c/"#, #""a \"b\" \\c/""#, #""a \"b\" \\c/""#),
            (
                "\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}\u{9f}", #""\b\t\n\f\r\u0000\u001f\u007f\u009f""#,
                #""\b\t\n\f\r\u0000\u001f\u007f\u009f""#
            ),
            ("\u{a0}é\u{1f399}", "\"\u{a0}é\u{1f399}\"", #""\u00a0\u00e9\ud83c\udf99""#),
        ])
    func strings(text: String, unicode: String, ascii: String) throws {
        #expect(JSONText.string(text) == unicode)
        #expect(JSONText.string(text, asciiOnly: true) == ascii)
        for quoted in [unicode, ascii] {
            #expect(try JSONValue(Array(quoted.utf8), depth: 0, members: 0) == .string(text))
        }
    }
}
