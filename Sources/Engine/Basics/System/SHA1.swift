/// SHA-1 (FIPS 180-4, section 6.1), the digest that whisper.cpp publishes for its models.
package typealias SHA1 = MessageDigest<SHA1Function>

package struct SHA1Function: CompressionFunction {
    package private(set) var words: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]

    package init() {}

    package mutating func absorb(_ block: Span<UInt8>) {
        // Only the last 16 words of the message schedule are needed at any time.
        var schedule = Self.words(of: block)
        var (a, b, c, d, e) = (words[0], words[1], words[2], words[3], words[4])
        for round in 0..<80 {
            if round >= 16 {
                let mixed =
                    schedule[(round + 13) & 15] ^ schedule[(round + 8) & 15] ^ schedule[(round + 2) & 15]
                    ^ schedule[round & 15]
                schedule[round & 15] = mixed.rotatedLeft(1)
            }
            let mix: UInt32
            let constant: UInt32
            switch round {
            case ..<20: (mix, constant) = (d ^ (b & (c ^ d)), 0x5a82_7999)
            case ..<40: (mix, constant) = (b ^ c ^ d, 0x6ed9_eba1)
            case ..<60: (mix, constant) = ((b & c) | (d & (b | c)), 0x8f1b_bcdc)
            default: (mix, constant) = (b ^ c ^ d, 0xca62_c1d6)
            }
            let next = a.rotatedLeft(5) &+ mix &+ e &+ constant &+ schedule[round & 15]
            (a, b, c, d, e) = (next, a, b.rotatedLeft(30), c, d)
        }
        words[0] &+= a
        words[1] &+= b
        words[2] &+= c
        words[3] &+= d
        words[4] &+= e
    }
}
