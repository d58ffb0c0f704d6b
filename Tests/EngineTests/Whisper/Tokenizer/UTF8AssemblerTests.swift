import Testing

@Suite("UTF-8 assembler")
struct UTF8AssemblerTests {
    /// Bytes at the boundaries of the ranges that UTF-8 distinguishes.
    static let borders: [UInt8] = [
        0x20, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0,
        0xf1, 0xf4, 0xf5, 0xff,
    ]

    @Test(
        "each maximal invalid subpart becomes one U+FFFD (Unicode Standard, tables 3-8 to 3-11)",
        arguments: [
            ([0xc0, 0xaf, 0xe0, 0x80, 0xbf, 0xf0, 0x81, 0x82, 0x41], "????????A"),
            ([0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf, 0xed, 0xaf, 0x41], "????????A"),
            ([0xf4, 0x91, 0x92, 0x93, 0xff, 0x41, 0x80, 0xbf, 0x42], "?????A??B"),
            ([0xe1, 0x80, 0xe2, 0xf0, 0x91, 0x92, 0xf1, 0xbf, 0x41], "????A"),
        ] as [([UInt8], String)])
    func maximalParts(bytes: [UInt8], expected: String) {
        let expected = String(expected.map { $0 == "?" ? "\u{FFFD}" : $0 })
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        var assembler = UTF8Assembler()
        #expect(bytes.map { assembler.append([$0]) }.joined() + assembler.finish() == expected)
    }

    @Test("decoding byte by byte equals decoding all bytes at once")
    func combinations() {
        for first in Self.borders where first >= 0xc0 {
            for second in Self.borders {
                for third in Self.borders {
                    for fourth: UInt8 in [0x41, 0x80, 0xbf, 0xe1] {
                        let bytes = [first, second, third, fourth]
                        var assembler = UTF8Assembler()
                        let text = bytes.map { assembler.append([$0]) }.joined() + assembler.finish()
                        let whole = String(decoding: bytes, as: UTF8.self)
                        if !text.utf8.elementsEqual(whole.utf8) { Issue.record("\(bytes): \(text), not \(whole)") }
                    }
                }
            }
        }
    }

    @Test("assembling random tokens one by one equals decoding them all at once")
    func property() {
        let tokenizer = VocabularyFixture.multilingual99
        var numbers = SplitMix64(seed: 1)
        for round in 0..<3000 {
            let limit = [256, 51_865, 52_000][round % 3]
            let ids = (0..<Int.random(in: 0...20, using: &numbers)).map { _ in
                Int.random(in: 0..<limit, using: &numbers)
            }
            var assembler = UTF8Assembler()
            let text =
                ids.filter { $0 < tokenizer.special.firstTimestamp }.map { assembler.append(tokenizer.bytes(of: $0)) }
                .joined() + assembler.finish()
            #expect(text.utf8.elementsEqual(tokenizer.decode(ids).utf8), "\(ids)")
            #expect(assembler.finish().isEmpty)
        }
    }

    @Test("partial characters are held back, so text once returned stays valid")
    func holdsBack() {
        let tokenizer = VocabularyFixture.multilingual99
        for text in ["咗🙂é", "♯ naïve ♯", "\u{FFFD}x"] {
            var assembler = UTF8Assembler()
            var shown = ""
            // Feed the single-byte tokens, each of which is part of a character.
            for byte in text.utf8 {
                guard let id = tokenizer.vocabulary.pieces.firstIndex(of: [byte]) else { continue }
                shown += assembler.append(tokenizer.bytes(of: id))
                #expect(text.utf8.starts(with: shown.utf8))
            }
            #expect(shown.utf8.elementsEqual(text.utf8))
        }
    }
}
