import Testing

/// The arithmetic and bytes of operations, against numbers computed by hand.
@Suite("Work of operations")
struct OperationWorkTests {
    @Test("products of tiny.en, large-v3 and Parakeet 0.6B")
    func products() {
        func operations(_ rows: Int, _ outputs: Int, _ inputs: Int) -> Int {
            OperationWork.product(rows: rows, outputs: outputs, inputs: inputs, kind: .int8, bytes: 0).operations
        }
        // The first MLP layer, and queries, keys and values.
        #expect(operations(1500, 1536, 384) == 1_769_472_000)
        #expect(operations(1500, 1152, 384) == 1_327_104_000)
        #expect(operations(1500, 5120, 1280) == 19_660_800_000)
        #expect(operations(1500, 3840, 1280) == 14_745_600_000)
        // A feed-forward layer for 30 s; the vocabulary projection of large-v3 for a token.
        #expect(operations(375, 4096, 1024) == 3_145_728_000)
        #expect(operations(1, 51_866, 1280) == 132_776_960)
    }

    @Test("attention over a window, earlier tokens and encoded audio")
    func attention() {
        func window(_ positions: Int, _ columns: Int, isRelative: Bool = false) -> Int {
            OperationWork.attention(
                queries: positions, keys: positions, columns: columns, isRelative: isRelative, kind: .int16
            ).operations
        }
        #expect(window(1500, 384) == 3_456_000_000 && window(1500, 1280) == 11_520_000_000)
        #expect(window(375, 1024, isRelative: true) == 864_000_000)
        // Two beams that have the same beginning.
        let cached = OperationWork.cachedAttention(counts: [10, 10], columns: 1280)
        #expect(cached.operations == 102_400 && cached.bytes == 102_400)
        let half = OperationWork.crossAttention(rows: 5, positions: 1500, columns: 1280, precision: .float16)
        #expect(half.operations == 38_400_000 && half.bytes == 7_680_000)
        let full = OperationWork.crossAttention(rows: 1, positions: 1500, columns: 384, precision: .float32)
        #expect(full.operations == 2_304_000 && full.bytes == 4_608_000)
    }

    @Test("weights are read in the bytes of their format", arguments: [ComputeType.float32, .int16, .int8])
    func weights(type: ComputeType) throws {
        var options = ComputeOptions(computeType: type, threads: 1)
        options.measures = .elapsed
        let backend = try options.makeBackend(), weight = try Tensor((0..<65_536).map { Float($0 % 251) / 256 })
        let log = try #require((backend as? MeasuringBackend)?.log)
        for (use, rows) in [(MatrixUse.manyRows, 96), (.fewRows, 1)] {
            let matrix = try backend.prepare(weight, outputs: 256, inputs: 256, for: use)
            let x = try Tensor(count: rows * 256).rows(rows, columns: 256), y = try Tensor(count: rows * 256)
            matrix.multiply(
                x, bias: nil, activation: .none, accumulate: false, into: y.rows(rows, columns: 256))
            let taken = log.take(), tally = try #require(taken.first?.tally)
            #expect(taken.count == 1 && tally.calls == 1 && tally.time > .zero)
            #expect(tally.operations == 2 * rows * 65_536)
            guard TileKind(type) != nil else { continue }
            // These weights are float16 numbers, which few-row products keep.
            let bytes = type == .int8 ? 1 : type == .int16 || use == .fewRows ? 2 : 4
            let isFloat = type == .float32 || use == .fewRows && type == .int16
            let kinds: [TileKind] = isFloat ? [.float32] : [.int16, .int8]
            #expect(tally.bytes == bytes * 65_536 || type == .int8 && tally.bytes == 2 * 65_536, "\(use)")
            #expect(tally.executed.keys.allSatisfy(kinds.contains), "\(use) \(tally.executed)")
        }
    }

    @Test("a norm belongs to the product that reads it, a sum to what it completes")
    func norms() throws {
        var options = ComputeOptions(computeType: .float32, threads: 1)
        options.measures = .elapsed
        let backend = try options.makeBackend(), log = try #require((backend as? MeasuringBackend)?.log)
        let matrix = try backend.prepare(try Tensor([Float](repeating: 0.5, count: 256)), outputs: 16, inputs: 16)
        let ones = try Tensor([Float](repeating: 1, count: 16)), x = try Tensor(count: 512).rows(32, columns: 16)
        let y = try Tensor(count: 512).rows(32, columns: 16)
        backend.layerNorm(x, gain: ones, shift: ones, into: y)
        #expect(log.take().isEmpty)
        matrix.multiply(x, bias: nil, activation: .none, accumulate: false, into: y)
        let alone = try #require(log.take().first?.tally)
        matrix.multiply(x, bias: nil, activation: .none, accumulate: false, into: y)
        backend.add(y, to: x)
        let both = log.take()
        #expect(both.count == 1 && both[0].tally.operations == alone.operations && both[0].tally.calls == 1)
    }
}
