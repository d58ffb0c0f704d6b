import Testing
import whisper_local

@Suite("Number syntax")
struct NumberSyntaxTests {
    @Test(
        "whole numbers are ASCII digits with a sign",
        arguments: [
            ("5", 5), ("-1", -1), ("+7", 7), ("007", 7), ("9223372036854775807", Int.max),
        ] as [(String, Int)])
    func integers(text: String, expected: Int) {
        #expect(NumberSyntax.integer(Array(text.utf8)) == expected)
    }

    @Test(
        "nothing else is a whole number",
        arguments: ["", "-", "5.0", "5 ", " 5", "0x10", "٣", "1e3", "9223372036854775808", "--1", "five", "1_000"])
    func noIntegers(text: String) {
        #expect(NumberSyntax.integer(Array(text.utf8)) == nil)
    }

    @Test(
        "decimals have a point, whatever the locale",
        arguments: [
            ("0.2", 0.2), ("-1.0", -1), (".5", 0.5), ("5.", 5), ("1e-3", 0.001), ("2E2", 200), ("-.5e1", -5), ("+3", 3),
            ("5.e1", 50),
        ] as [(String, Double)])
    func decimals(text: String, expected: Double) {
        #expect(NumberSyntax.decimal(Array(text.utf8)) == expected)
    }

    @Test(
        "nothing else is a decimal",
        arguments: ["", ".", "-", "e5", "1e", "1e999", "nan", "inf", "0x1p3", "1,5", "1.2.3", "5 ", "٣", "1e5.0"])
    func noDecimals(text: String) {
        #expect(NumberSyntax.decimal(Array(text.utf8)) == nil)
    }

    @Test("a decimal comma is told from other mistakes", arguments: [("0,5", true), ("1,2,3", false), ("a,b", false)])
    func commas(text: String, expected: Bool) {
        #expect(NumberSyntax.hasDecimalComma(Array(text.utf8)) == expected)
    }
}
