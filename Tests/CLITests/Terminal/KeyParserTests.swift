import Testing
import WhisperCommands

@Suite("Keys")
struct KeyParserTests {
    private static func keys(_ parts: String...) -> [Key] {
        var parser = KeyParser()
        return parts.flatMap { parser.keys(Array($0.utf8)) }
    }

    @Test("plain keys, keys with Ctrl and letters beyond ASCII are recognized")
    func plain() {
        #expect(Self.keys(" pé") == [.character(" "), .character("p"), .character("é")])
        #expect(Self.keys("\u{3}\r") == [.code(99, control: true, .press), .code(13, control: false, .press)])
        #expect(KeyParser.all([0xc3]) == [])
        #expect(KeyParser.all([0xc3], []) == [.character("\u{fffd}")])
        #expect(KeyParser.all([0xff, 0x20, 0x20, 0x20]) == [.character("\u{fffd}")] + Self.keys("   "))
    }

    @Test("a lone escape is a key if nothing follows it")
    func escape() {
        #expect(Self.keys("\u{1b}") == [])
        #expect(Self.keys("\u{1b}", "") == [.code(27, control: false, .press)])
        #expect(Self.keys("\u{1b}x") == [.code(27, control: false, .press), .character("x")])
        #expect(Self.keys("\u{1b}", "[A") == [])
        #expect(Self.keys("\u{1b}[", "", "q") == [.character("q")])
    }

    @Test("presses, repeats and releases of kitty's protocol are recognized, wherever the bytes are split")
    func kitty() {
        let sent = "\u{1b}[32;1:1u\u{1b}[32;1:2u\u{1b}[32;1:3u\u{1b}[99;5u\u{1b}[97:65;2;65u"
        let expected: [Key] = [
            .character(" "), .code(32, control: false, .hold), .code(32, control: false, .release),
            .code(99, control: true, .press), .code(97, control: false, .press),
        ]
        #expect(Self.keys(sent) == expected)
        for cut in 1..<sent.utf8.count {
            var parser = KeyParser()
            let bytes = Array(sent.utf8)
            #expect(parser.keys(Array(bytes[..<cut])) + parser.keys(Array(bytes[cut...])) == expected, "\(cut)")
        }
    }

    @Test("replies of the terminal are recognized, and unknown sequences are ignored")
    func answers() {
        #expect(Self.keys("\u{1b}[?0u") == [.keyboardFlags(0)])
        #expect(Self.keys("\u{1b}[?2026;2$y\u{1b}[?2026;0$y") == [.synchronizes(true), .synchronizes(false)])
        #expect(Self.keys("\u{1b}[?64;1c\u{1b}[200~\u{1b}OPx\u{1b}[;;;u\u{1b}[99999999999u") == [.character("x")])
        #expect(Self.keys("\u{1b}[" + String(repeating: "1;", count: 100)) == [])
    }
}

extension KeyParser {
    fileprivate static func all(_ parts: [UInt8]...) -> [Key] {
        var parser = KeyParser()
        return parts.flatMap { parser.keys($0) }
    }
}
