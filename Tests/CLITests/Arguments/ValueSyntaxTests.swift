import Testing
import WhisperCommands

@Suite("Value syntax")
struct ValueSyntaxTests {
    @Test(
        "true, false and None are read in any case",
        arguments: [("true", true), ("False", false), ("TRUE", true), ("yes", nil), ("1", nil), ("", nil)])
    func booleans(text: String, expected: Bool?) {
        #expect(ValueSyntax.boolean(Array(text.utf8)) == expected)
        #expect(!ValueSyntax.isNone(Array(text.utf8)) && ValueSyntax.isNone(Array("nOnE".utf8)))
    }

    @Test(
        "whole numbers are ASCII digits with an optional sign",
        arguments: [
            ("5", 5), ("-1", -1), ("+7", 7), ("007", 7), ("9223372036854775807", Int.max),
        ] as [(String, Int)])
    func integers(text: String, expected: Int) {
        #expect(ValueSyntax.integer(Array(text.utf8)) == expected)
    }

    @Test(
        "anything else is not a whole number",
        arguments: ["", "-", "5.0", "5 ", " 5", "0x10", "٣", "1e3", "9223372036854775808", "--1", "five", "1_000"])
    func noIntegers(text: String) {
        #expect(ValueSyntax.integer(Array(text.utf8)) == nil)
    }

    @Test(
        "decimals have a point, whatever the locale",
        arguments: [
            ("0.2", 0.2), ("-1.0", -1), (".5", 0.5), ("5.", 5), ("1e-3", 0.001), ("2E2", 200), ("-.5e1", -5), ("+3", 3),
            ("5.e1", 50),
        ] as [(String, Double)])
    func decimals(text: String, expected: Double) {
        #expect(ValueSyntax.decimal(Array(text.utf8)) == expected)
    }

    @Test(
        "anything else is not a decimal",
        arguments: ["", ".", "-", "e5", "1e", "1e999", "nan", "inf", "0x1p3", "1,5", "1.2.3", "5 ", "٣", "1e5.0"])
    func noDecimals(text: String) {
        #expect(ValueSyntax.decimal(Array(text.utf8)) == nil)
    }

    @Test(
        "a decimal comma is distinguished from other mistakes",
        arguments: [("0,5", true), ("1,2,3", false), ("a,b", false)])
    func commas(text: String, expected: Bool) {
        #expect(ValueSyntax.hasDecimalComma(Array(text.utf8)) == expected)
    }
}
