/// Numbers computed by a formula that the generators of the fixtures use too, so that large inputs need no files.
package enum PlantedNumbers {
    /// One step of SplitMix64.
    package static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The state for `seed` and all indices but the last, which `units` adds.
    package static func state(_ seed: Int, _ indices: some Sequence<Int>) -> UInt64 {
        indices.reduce(mix(UInt64(bitPattern: Int64(seed)))) { mix($0 ^ UInt64(bitPattern: Int64($1))) }
    }

    /// A 24-bit number in 0..<1, exact in `Float`.
    package static func unit(_ state: UInt64) -> Double { Double(state >> 40) / 16_777_216 }

    package static func unit(_ seed: Int, _ indices: Int...) -> Double { unit(state(seed, indices)) }

    /// `unit(seed, prefix…, i)` for i in `0..<count`.
    package static func units(_ seed: Int, _ prefix: some Sequence<Int>, count: Int) -> [Double] {
        let start = state(seed, prefix)
        return (0..<count).map { unit(mix(start ^ UInt64($0))) }
    }
}
