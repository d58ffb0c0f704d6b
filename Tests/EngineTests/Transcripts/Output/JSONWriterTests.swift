import Foundation
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private struct Floats: Decodable {
        struct Case: Decodable {
            let bits: String
            let json: String
        }
        let cases: [Case]
    }

    private static func written(_ value: Double) throws -> String {
        let segment = WriterFixture.segment("", from: value)
        let text = JSONWriter().text(of: WriterFixture.transcript(of: [segment]))
        let start = try #require(text.range(of: "\"start\": "))
        let end = try #require(text.range(of: ", \"end\""))
        return String(text[start.upperBound..<end.lowerBound])
    }

    @Test("numbers are formatted like Python's")
    func numbers() throws {
        let cases = try Fixtures.json("writers/python-floats.json", as: Floats.self).cases
        #expect(cases.count == 600)
        for example in cases {
            let bits = try #require(UInt64(example.bits, radix: 16))
            #expect(try Self.written(Double(bitPattern: bits)) == example.json)
        }
    }

    @Test("every number reads back as the same number")
    func roundTrip() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            #expect(try Double(Self.written(value))?.bitPattern == value.bitPattern)
        }
    }

    @Test(
        "strings are escaped like Python's",
        arguments: [
            ("\u{8}\u{9}\u{a}\u{c}\u{d}", #"\b\t\n\f\r"#), ("\"\\/", #"\"\\/"#),
            ("\0\u{1f}\u{7f}", #"\u0000\u001f\u007f"#),
            ("é😀\u{2028}\u{fffd}", #"\u00e9\ud83d\ude00\u2028\ufffd"#), ("\u{10ffff}", #"\udbff\udfff"#),
        ])
    func strings(text: String, expected: String) {
        let transcript = Transcript(text: text, language: "", duration: 0, segments: [])
        #expect(
            JSONWriter().text(of: transcript) == "{\"text\": \"\(expected)\", \"segments\": [], \"language\": \"\"}")
    }
}
