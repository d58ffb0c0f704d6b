import Testing

@Suite("Products of the engine's kernels")
struct TileProductTests {
    @Test(
        "products equal the definition, in rows with gaps",
        arguments: [(1, 1, 1), (3, 17, 5), (8, 64, 33), (9, 40, 64), (130, 64, 75)], [false, true])
    func products(shape: (Int, Int, Int), transposed: Bool) throws {
        let product = try #require(TileProduct())
        let (m, n, k) = shape
        let (aStride, bStride, cStride) = (k + 3, (transposed ? k : n) + 1, n + 2)
        let a = (0..<(m * aStride)).map { Float($0 % 13) - 6 }
        let b = (0..<((transposed ? n : k) * bStride)).map { Float($0 % 11) - 5 }
        for accumulates in [false, true] {
            var c = [Float](repeating: 2, count: m * cStride)
            unsafe c.withUnsafeMutableBufferPointer { c in
                unsafe a.withUnsafeBufferPointer { a in
                    unsafe b.withUnsafeBufferPointer { b in
                        unsafe product.multiply(
                            m: m, n: n, k: k, a: a.baseAddress!, aStride: aStride, b: b.baseAddress!, bStride: bStride,
                            transposedB: transposed, accumulate: accumulates, c: c.baseAddress!, cStride: cStride)
                    }
                }
            }
            for row in 0..<m {
                for column in 0..<cStride {
                    var expected: Float = accumulates || column >= n ? 2 : 0
                    if column < n {
                        for i in 0..<k {
                            let weight = transposed ? b[column * bStride + i] : b[i * bStride + column]
                            expected += a[row * aStride + i] * weight
                        }
                    }
                    // Sums of small integers are exact.
                    #expect(c[row * cStride + column] == expected)
                }
            }
        }
    }
}
