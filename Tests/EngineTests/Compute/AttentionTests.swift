import Testing

@Suite("Attention of the backends")
struct AttentionTests {
    /// The number of heads and the columns per head.
    static let heads = [(1, 1), (1, 64), (2, 32), (3, 17), (4, 8), (6, 64), (5, 5)]

    @Test("attention over all keys equals plain loops", arguments: BackendFixture.choices, BackendFixture.threads)
    func whole(choice: ComputeOptions.Backend, threads: Int) throws {
        try Self.check(try BackendFixture(choice, threads: threads))
    }

    /// Compares attention over all keys with plain loops.
    static func check(_ fixture: BackendFixture) throws {
        for (heads, size) in heads {
            for (rows, keys) in [(1, 1), (1, 7), (3, 2), (7, 33), (40, 40), (128, 20), (129, 65), (257, 31)] {
                let n = heads * size
                // Query, key and value side by side, as the stacked projection produces them.
                let all = try BackendFixture.view(rows: max(rows, keys), columns: 3 * n, seed: rows + keys)
                let isEqual = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: n, gap: rows % 2, seed: 1)
                } _: { backend, out in
                    backend.attention(
                        queries: all.slice(rows: 0..<rows).slice(columns: 0..<n),
                        keys: all.slice(rows: 0..<keys).slice(columns: n..<(2 * n)),
                        values: all.slice(rows: 0..<keys).slice(columns: (2 * n)..<(3 * n)), heads: heads, into: out)
                }
                #expect(isEqual, "\(rows) × \(keys), \(heads) heads of \(size)")
            }
        }
    }

    /// Attention where the first keys are given and the others are stored.
    struct StoredKeys {
        let queries: Int
        /// A multiple of 32, unless there are no others.
        let given: Int
        let positions: Int

        static let all = [
            (1, 32, 33), (3, 32, 200), (40, 64, 90), (121, 96, 97), (25, 160, 1500), (7, 128, 128), (200, 224, 300),
        ].map { StoredKeys(queries: $0.0, given: $0.1, positions: $0.2) }

        /// - Parameter areStored: whether the others are stored; otherwise all keys are given at once.
        func compute(
            _ backend: any ComputeBackend, heads: Int, size: Int, areStored: Bool = true, into out: TensorView
        ) throws {
            let n = heads * size
            let all = try BackendFixture.view(rows: max(positions, queries), columns: 3 * n, seed: positions)
            let keys = all.slice(rows: 0..<positions).slice(columns: n..<(2 * n))
            let values = all.slice(rows: 0..<positions).slice(columns: (2 * n)..<(3 * n))
            let stored = try backend.heads(positions: positions, heads: heads, size: size, in: WeightArena())
            backend.store(keys: keys, values: values, in: stored)
            // What is stored at the given positions counts for nothing.
            let own = try BackendFixture.view(rows: given, columns: 2 * n, seed: given)
            guard areStored else {
                own.copy(into: all.slice(rows: 0..<given).slice(columns: n..<(3 * n)))
                return backend.attention(
                    queries: all.slice(rows: 0..<queries).slice(columns: 0..<n), keys: keys, values: values,
                    heads: heads, into: out)
            }
            backend.attention(
                queries: all.slice(rows: 0..<queries).slice(columns: 0..<n), keys: own.slice(columns: 0..<n),
                values: own.slice(columns: n..<(2 * n)), heads: heads, then: stored, into: out)
        }
    }

    @Test(
        "attention over some keys, and stored ones after them, equals plain loops", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func stored(choice: ComputeOptions.Backend, threads: Int) throws {
        try Self.checkStored(try BackendFixture(choice, threads: threads))
    }

    static func checkStored(_ fixture: BackendFixture) throws {
        for (heads, size) in heads {
            for keys in StoredKeys.all {
                let isEqual = try fixture.compare {
                    try BackendFixture.view(rows: keys.queries, columns: heads * size, gap: 1, seed: 1)
                } _: { backend, out in
                    try keys.compute(backend, heads: heads, size: size, into: out)
                }
                #expect(isEqual, "\(keys), \(heads) heads of \(size)")
            }
        }
    }

    @Test("without stored keys after them, the others give the same bits", arguments: BackendFixture.choices)
    func nothingStored(choice: ComputeOptions.Backend) throws {
        let backend = try BackendFixture(choice, threads: 1).backend, n = 128
        let all = try BackendFixture.view(rows: 96, columns: 3 * n, seed: 1)
        let keys = all.slice(columns: n..<(2 * n)), values = all.slice(columns: (2 * n)..<(3 * n))
        let stored = try backend.heads(positions: 96, heads: 2, size: 64, in: WeightArena())
        let results = try [nil, stored].map { stored in
            let out = try Tensor(count: 96 * n).rows(96, columns: n)
            backend.attention(
                queries: all.slice(columns: 0..<n), keys: keys, values: values, heads: 2, then: stored, into: out)
            return out.values
        }
        #expect(results[0] == results[1])
    }

    @Test(
        "a cache that ends with positions of another has the keys and values of both",
        arguments: [CachePrecision.float32, .float16])
    func ends(precision: CachePrecision) throws {
        let backend = try BackendFixture(.openblas, threads: 1, type: precision == .float16 ? .int8 : .float32).backend
        let n = 64, rest = try BackendFixture.view(rows: 100, columns: 2 * n, seed: 1)
        func fill(_ cache: CrossAttentionCache, _ rows: TensorView) {
            backend.fill(cache, keys: rows.slice(columns: 0..<n), values: rows.slice(columns: n..<(2 * n)))
        }
        func cache() throws -> CrossAttentionCache {
            try CrossAttentionCache(heads: 2, positions: 100, headSize: 32, precision: precision)
        }
        let queries = try BackendFixture.view(rows: 3, columns: n, seed: 5)
        func output(_ cache: CrossAttentionCache) throws -> [Float] {
            let out = try Tensor(count: 3 * n).rows(3, columns: n)
            backend.attention(queries: queries, cross: cache, into: out)
            return out.values
        }
        let last = try cache()
        fill(last, rest)
        var reused = try cache()
        // Windows with more and with less of their own, a full one between them, and a cut one.
        for (seed, own) in [(2, 32), (3, 96), (4, 64), (5, 100), (6, 32), (7, 50), (8, 64), (9, 0)] {
            let rows = try BackendFixture.view(rows: own, columns: 2 * n, seed: seed)
            let expected = try cache(), whole = try BackendFixture.view(rows: 100, columns: 2 * n, seed: 1)
            rows.copy(into: whole.slice(rows: 0..<own))
            fill(expected, whole)
            if own == 50 {
                reused.resize(positions: own)
                fill(reused, rows)
                continue
            }
            reused.resize(positions: 100, keepsEnd: own < 100)
            fill(reused, rows)
            if own < 100 { reused.end(with: last, from: own) }
            #expect(try output(reused) == output(expected), "\(own) positions")
        }
    }

    @Test(
        "attention over cached keys follows each row's history, including branches", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func cached(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for (heads, size) in Self.heads {
            for rows in [1, 2, 3, 5, 8, 9, 20] {
                for length in [1, 2, 15, 16, 17, 100] {
                    let n = heads * size, slots = length * rows
                    let keys = try BackendFixture.tensor(slots * n, seed: 1)
                    let values = try BackendFixture.tensor(slots * n, seed: 2)
                    // Rows share the first positions and then have slots of their own; some see fewer positions.
                    let histories = (0..<rows).map { row in
                        (0..<length).map { position -> Int32 in
                            let slot = position * 3 < length * 2 ? 0 : (row * 7 + position) % rows
                            return Int32(position * rows + slot)
                        }
                    }
                    let counts = (0..<rows).map { row in max(1, length - row % 4) }
                    let queries = try BackendFixture.view(rows: rows, columns: n, gap: 2 * n, seed: 3)
                    let cache = CachedAttention(keys: keys, values: values, histories: histories, counts: counts)
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: n, gap: 1, seed: 4)
                    } _: { backend, out in
                        backend.attention(queries: queries, cache: cache, heads: heads, into: out)
                    }
                    #expect(isEqual, "\(rows) rows of \(length), \(heads) heads of \(size)")
                }
            }
        }
    }

    @Test(
        "cross-attention and its scores equal plain loops", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func cross(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for (heads, size) in Self.heads {
            let n = heads * size
            for positions in Array(1...100) where positions % 9 < 3 || positions % 32 < 2 {
                let caches = try (0..<2).map { _ in
                    try CrossAttentionCache(heads: heads, positions: positions, headSize: size)
                }
                let projected = try BackendFixture.view(rows: positions, columns: 2 * n, seed: positions)
                let keys = projected.slice(columns: 0..<n), values = projected.slice(columns: n..<(2 * n))
                fixture.backend.fill(caches[0], keys: keys, values: values)
                fixture.reference.fill(caches[1], keys: keys, values: values)
                for (mine, other) in [(caches[0].keys, caches[1].keys), (caches[0].values, caches[1].values)] {
                    #expect(mine.values(0..<mine.count) == other.values(0..<other.count))
                }
                for rows in Array(1...20) where rows < 10 || (rows + positions) % 5 == 0 {
                    let queries = try BackendFixture.view(rows: rows, columns: n, gap: rows % 2, offset: 1, seed: rows)
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: n, gap: 1, seed: 4)
                    } _: { backend, out in
                        backend.attention(queries: queries, cross: caches[0], into: out)
                    }
                    #expect(isEqual, "\(rows) rows, \(positions) positions, \(heads) heads of \(size)")
                    let head = rows % heads, columns = max(1, positions - rows)
                    let scores = [fixture.backend, fixture.reference].map {
                        $0.crossScores(queries: queries, cross: caches[0], head: head, columns: columns)
                    }
                    #expect(scores[0].count == rows * columns)
                    #expect(NetworkFixture.error(scores[0], scores[1]) <= BackendFixture.tolerance)
                }
            }
        }
    }

    @Test("attention stays finite for extreme scores", arguments: BackendFixture.choices)
    func extremes(choice: ComputeOptions.Backend) throws {
        let fixture = try BackendFixture(choice, threads: 1)
        for scale: Float in [1e-20, 1, 100, 1e4, 1e18] {
            let queries = try Tensor(BackendFixture.values(3 * 64, seed: 1).map { $0 * scale })
            let keys = try BackendFixture.view(rows: 50, columns: 64, seed: 2)
            let values = try BackendFixture.view(rows: 50, columns: 64, seed: 3)
            let isEqual = try fixture.compare(
                { try BackendFixture.view(rows: 3, columns: 64, seed: 4) }, tolerance: 2e-3
            ) { backend, out in
                backend.attention(
                    queries: queries.rows(3, columns: 64), keys: keys, values: values, heads: 2, into: out)
                #expect(out.values.allSatisfy { $0.isFinite })
            }
            #expect(isEqual, "\(scale)")
        }
    }
}
