/// A small random number generator that gives the same numbers on every machine.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with the constants of Vigna's
/// public-domain version.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// A separate stream for each pass over a window, so that no result depends on the windows before it.
    ///
    /// - Parameters:
    ///   - position: of the window in the recording.
    ///   - temperature: of the pass, so that a second pass over a window does not repeat the draws of the first.
    package init(seed: UInt64, position: Int, temperature: Double) {
        state = seed
        state = next() ^ UInt64(bitPattern: Int64(position))
        state = next() ^ temperature.bitPattern
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in 0..<1 with 53 random bits.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
