import Testing

@Suite("Float16 keys and values")
struct HalfCacheTests {
    /// Keys and values that are exact in float16.
    private static func projected(_ positions: Int, _ n: Int) throws -> TensorView {
        let values = BackendFixture.values(positions * 2 * n, seed: positions).map { Float(Float16($0)) }
        return try Tensor(values).rows(positions, columns: 2 * n)
    }

    @Test("cross-attention and its scores equal plain loops over the same numbers", arguments: InstructionSets.all)
    func cross(set: String) throws {
        try InstructionSets.limited(to: set) {
            let fixture = try BackendFixture(.openblas, threads: 1, type: .bfloat16)
            #expect(fixture.backend.cachePrecision == .float16)
            for (heads, size) in AttentionTests.heads {
                let n = heads * size
                for positions in [1, 2, 9, 31, 32, 33, 64, 100] {
                    let half = try CrossAttentionCache(
                        heads: heads, positions: positions, headSize: size, precision: .float16)
                    let full = try CrossAttentionCache(heads: heads, positions: positions, headSize: size)
                    let projected = try Self.projected(positions, n)
                    let keys = projected.slice(columns: 0..<n), values = projected.slice(columns: n..<(2 * n))
                    fixture.backend.fill(half, keys: keys, values: values)
                    fixture.reference.fill(full, keys: keys, values: values)
                    for rows in Array(1...14) + [24, 25, 40] {
                        let queries = try BackendFixture.view(
                            rows: rows, columns: n, gap: rows % 2, offset: 1, seed: rows)
                        let isEqual = try fixture.compare {
                            try BackendFixture.view(rows: rows, columns: n, gap: 1, seed: 4)
                        } _: { backend, out in
                            backend.attention(
                                queries: queries, cross: backend === fixture.backend ? half : full, into: out)
                        }
                        #expect(isEqual, "\(set): \(rows) rows, \(positions) positions, \(heads) heads of \(size)")
                    }
                    let queries = try BackendFixture.view(rows: 3, columns: n, seed: 2)
                    let columns = max(1, positions - 3)
                    let mine = fixture.backend.crossScores(
                        queries: queries, cross: half, head: heads - 1, columns: columns)
                    let other = fixture.reference.crossScores(
                        queries: queries, cross: full, head: heads - 1, columns: columns)
                    #expect(NetworkFixture.error(mine, other) <= BackendFixture.tolerance)
                }
            }
        }
    }

    @Test(
        "attention over several windows equals attention over each alone", arguments: [ComputeType.float32, .bfloat16],
        [1, 2])
    func windows(type: ComputeType, threads: Int) throws {
        let backend = try ComputeOptions(backend: .openblas, computeType: type, threads: threads).makeBackend()
        let n = 192, rows = [0..<1, 1..<6, 6..<8, 8..<20]
        let caches = try [100, 77, 100, 33].map { positions in
            let cache = try CrossAttentionCache(
                heads: 3, positions: positions, headSize: 64, precision: backend.cachePrecision)
            let projected = try Self.projected(positions, n)
            backend.fill(
                cache, keys: projected.slice(columns: 0..<n), values: projected.slice(columns: n..<(2 * n)))
            return cache
        }
        let queries = try BackendFixture.view(rows: 20, columns: n, seed: 3)
        let together = try Tensor(count: 20 * n).rows(20, columns: n)
        backend.attention(queries: queries, windows: 4, window: { (rows[$0], caches[$0]) }, into: together)
        let apart = try Tensor(count: 20 * n).rows(20, columns: n)
        for (own, cache) in zip(rows, caches) {
            backend.attention(queries: queries.slice(rows: own), cross: cache, into: apart.slice(rows: own))
        }
        #expect(together.values == apart.values)
        #expect(together.values.contains { $0 != 0 })
    }

    @Test("attention on two threads equals plain loops")
    func threads() throws {
        let fixture = try BackendFixture(.openblas, threads: 2, type: .int8)
        let half = try CrossAttentionCache(heads: 6, positions: 77, headSize: 64, precision: .float16)
        let full = try CrossAttentionCache(heads: 6, positions: 77, headSize: 64)
        let projected = try Self.projected(77, 384)
        fixture.backend.fill(
            half, keys: projected.slice(columns: 0..<384), values: projected.slice(columns: 384..<768))
        fixture.reference.fill(
            full, keys: projected.slice(columns: 0..<384), values: projected.slice(columns: 384..<768))
        let queries = try BackendFixture.view(rows: 5, columns: 384, seed: 2)
        for _ in 0..<50 {
            let isEqual = try fixture.compare({ try Tensor(count: 5 * 384).rows(5, columns: 384) }) { backend, out in
                backend.attention(queries: queries, cross: backend === fixture.backend ? half : full, into: out)
            }
            #expect(isEqual)
        }
    }
}
