import Foundation
import Testing
import WhisperServer

@Suite("Base64")
struct Base64DecoderTests {
    /// The bytes, in pieces of at most this many characters; `nil` if the text is malformed.
    private func decoded(_ text: String, pieces: Int = .max) -> [UInt8]? {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            decoder.append(rest.prefix(pieces)) { bytes.append($0) }
            rest = rest.dropFirst(pieces)
        }
        decoder.finish { bytes.append($0) }
        guard decoder.isValid else { return nil }
        #expect(decoder.byteCount == bytes.count)
        return bytes
    }

    @Test("the vectors of RFC 4648 decode, with and without padding")
    func vectors() {
        let vectors = [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ]
        for (text, plain) in vectors {
            #expect(decoded(text) == Array(plain.utf8))
            #expect(decoded(text.replacingOccurrences(of: "=", with: "")) == Array(plain.utf8))
        }
    }

    @Test("every byte and length decodes, in pieces of any size, with a prefix and between white space")
    func pieces() {
        for count in 0..<80 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = Data(bytes).base64EncodedString()
            for size in [1, 2, 3, 5, 64] {
                #expect(decoded(text, pieces: size) == bytes)
                #expect(decoded("data:audio/mp4;codecs=\"x\";base64," + text, pieces: size) == bytes)
                #expect(decoded(" \r\n" + text.map { "\($0)\n" }.joined() + "\t", pieces: size) == bytes)
            }
        }
        // The longest text that could begin a prefix.
        #expect(decoded("data", pieces: 1) == [0x75, 0xab, 0x5a])
        #expect(decoded("dat", pieces: 1) == nil)
        #expect(decoded("da", pieces: 1) == nil)
        #expect(decoded("dQ") == [0x75])
    }

    @Test(
        "anything else is malformed",
        arguments: [
            "Z", "Zm9vY", "Zg=", "Zg===", "Zm8==", "Zm9v=", "=", "====", "Zg==Zg==", "Zg==\u{0}", "Zm-v", "Zm_v",
            "Zm9v!",
            "Zm9v\u{e4}", "Zh==", "Zm9=", "Zn", "data:audio/mp4;base64", "data:audio/mp4,Zm9v", "data:;base64,Zm9v!",
            "Data:;base64,Zm9v", "xdata:;base64,Zm9v", "data:;base64,data:;base64,Zm9v",
        ])
    func malformed(text: String) {
        for size in [1, 3, 100] { #expect(decoded(text, pieces: size) == nil) }
    }

    @Test("the size counts digits only, even in malformed text")
    func size() {
        var decoder = Base64Decoder()
        decoder.append(Array("data:audio/wav;base64,Zm9v\nZm9v!!Zm9v".utf8)[...]) { _ in }
        #expect(decoder.byteCount == 9 && !decoder.isValid)
    }
}
