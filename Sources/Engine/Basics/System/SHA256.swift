/// SHA-256 (FIPS 180-4, section 6.2), the digest that `sha256sum` and the Hugging Face hub show for a file.
package typealias SHA256 = MessageDigest<SHA256Function>

package struct SHA256Function: CompressionFunction {
    package private(set) var words: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    package init() {}

    package mutating func absorb(_ block: Span<UInt8>) {
        // Only the last 16 words of the message schedule are needed at any time.
        var schedule = Self.words(of: block)
        var (a, b, c, d, e, f, g, h) = (
            words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
        )
        for round in 0..<64 {
            if round >= 16 {
                let (early, late) = (schedule[(round + 1) & 15], schedule[(round + 14) & 15])
                let first = early.rotatedRight(7) ^ early.rotatedRight(18) ^ early >> 3
                let second = late.rotatedRight(17) ^ late.rotatedRight(19) ^ late >> 10
                schedule[round & 15] = schedule[round & 15] &+ first &+ schedule[(round + 9) & 15] &+ second
            }
            let sum = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
            let choice = g ^ (e & (f ^ g))
            let first = h &+ sum &+ choice &+ Self.constants[round] &+ schedule[round & 15]
            let majority = (a & b) | (c & (a | b))
            let second = (a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)) &+ majority
            (a, b, c, d, e, f, g, h) = (first &+ second, a, b, c, d &+ first, e, f, g)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { words[index] &+= word }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
