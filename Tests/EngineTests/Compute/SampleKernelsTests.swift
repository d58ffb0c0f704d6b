import Testing

@Suite("Sample kernels")
struct SampleKernelsTests {
    /// Ties, values out of range, NaN, infinities and ordinary samples.
    private static let samples: [Float] =
        [0, -0.0, 1, -1, 2, -2, .nan, .infinity, -.infinity, 0.5 / 32768, 1.5 / 32768, -0.5 / 32768, -1.5 / 32768]
        + BackendFixture.values(2003, seed: 5).map { $0 * 1.01 }

    private static func word(_ sample: Float) -> Int16 {
        let scaled = (sample * 32768).rounded(.toNearestOrEven)
        return Int16(min(max(scaled.isNaN ? 0 : scaled, -32768), 32767))
    }

    @Test("samples are converted to the nearest 16-bit numbers and back", arguments: InstructionSets.all)
    func words(set: String) throws {
        try InstructionSets.limited(to: set) {
            for count in [0, 1, 7, 8, 17, 64, Self.samples.count] {
                let samples = Array(Self.samples.suffix(count)) + Self.samples.prefix(13)
                var words: [Int16] = [7]
                SampleKernels.append(samples, to: &words)
                #expect(words == [7] + samples.map(Self.word))
                let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
                #expect(SampleKernels.floats(ofLittle16: bytes + [1]) == words.map { Float($0) / 32768 })
            }
        }
    }

    @Test("samples are rounded to 16 bits, to nearest or down", arguments: InstructionSets.all)
    func quantized(set: String) throws {
        try InstructionSets.limited(to: set) {
            for isDown in [false, true] {
                var found = Self.samples
                SampleKernels.quantize(&found, down: isDown)
                let expected = Self.samples.map { sample -> Float in
                    let scaled = (sample * 32768).rounded(isDown ? .down : .toNearestOrEven)
                    return min(max(scaled.isNaN ? 0 : scaled, -32768), 32767) / 32768
                }
                #expect(found == expected)
            }
        }
    }

    @Test("extremes ignore NaN", arguments: InstructionSets.all)
    func extremes(set: String) throws {
        try InstructionSets.limited(to: set) {
            var (minimum, maximum) = (Float.infinity, -Float.infinity)
            SampleKernels.extremes(of: [], minimum: &minimum, maximum: &maximum)
            #expect(minimum == .infinity && maximum == -.infinity)
            SampleKernels.extremes(
                of: [.nan, 0.25, .nan] + Self.samples.suffix(1000), minimum: &minimum, maximum: &maximum)
            let numbers: [Float] = [0.25] + Self.samples.suffix(1000)
            #expect(minimum == numbers.min() && maximum == numbers.max())
        }
    }
}
