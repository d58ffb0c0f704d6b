import Testing

/// Vectors of FIPS 180-4's examples and of NIST's Secure Hash Standard validation.
@Suite("Message digests")
struct MessageDigestTests {
    private static let vectors: [(message: [UInt8], sha1: String, sha256: String)] = [
        (
            [], "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            Array("abc".utf8), "a9993e364706816aba3e25717850c26c9cd0d89d",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (
            Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Array(repeating: UInt8(ascii: "a"), count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test("published vectors match", arguments: vectors.indices) func published(index: Int) {
        let vector = Self.vectors[index]
        #expect(SHA1.hexadecimal(of: vector.message) == vector.sha1)
        #expect(SHA256.hexadecimal(of: vector.message) == vector.sha256)
    }

    @Test("the digest does not depend on how the bytes are split") func splitting() {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167) }
        for size in [1, 3, 55, 56, 63, 64, 65, 127, 128, 129, 500] {
            var (first, second) = (SHA1(), SHA256())
            for start in stride(from: 0, to: message.count, by: size) {
                let piece = Array(message[start..<min(message.count, start + size)])
                first.update(piece)
                second.update(piece)
            }
            #expect(first.hexadecimal == SHA1.hexadecimal(of: message))
            #expect(second.hexadecimal == SHA256.hexadecimal(of: message))
        }
    }

    /// Lengths around the padding's edges; the digest of all digests was computed with Python's hashlib.
    @Test("every length up to 200 bytes is padded correctly") func padding() {
        var (first, second) = (SHA1(), SHA256())
        for length in 0...200 {
            let message = Array(repeating: UInt8(ascii: "x"), count: length)
            first.update(Array(SHA1.hexadecimal(of: message).utf8))
            second.update(Array(SHA256.hexadecimal(of: message).utf8))
        }
        #expect(first.hexadecimal == "1f67da40a499e887e43c141418cc90ce5c8f9002")
        #expect(second.hexadecimal == "75013a3fd49991ead9d8a57ea80485c088443c3406a0e8fa003ed57144041eb4")
    }
}
