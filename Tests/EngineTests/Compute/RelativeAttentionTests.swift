import Testing

@Suite("Relative attention and convolutions of the backends")
struct RelativeAttentionTests {
    /// The number of heads and the columns per head.
    static let heads = [(1, 16), (2, 32), (4, 8), (3, 17), (8, 128)]

    private static func positions(heads: Int, size: Int, reach: Int) throws -> RelativePositions {
        let n = heads * size
        return RelativePositions(
            table: try BackendFixture.tensor((2 * reach + 1) * n, seed: 7),
            keyBias: try BackendFixture.tensor(n, seed: 8),
            positionBias: try BackendFixture.tensor(n, seed: 9), heads: heads)
    }

    private static func check(_ fixture: BackendFixture, tolerance: Float = BackendFixture.tolerance) throws {
        for (heads, size) in heads {
            // Those before the queries' own.
            for (earlier, rows, reach) in [
                (0, 1, 0), (0, 1, 5), (0, 2, 1), (0, 3, 2), (0, 7, 40), (0, 24, 23), (0, 25, 24), (0, 40, 60),
                (0, 130, 129), (0, 257, 300), (1, 1, 1), (70, 1, 70), (70, 14, 83), (35, 7, 83), (5, 130, 140),
            ] {
                let n = heads * size, positions = try positions(heads: heads, size: size, reach: reach)
                let mine = try fixture.backend.prepare(positions), other = try fixture.reference.prepare(positions)
                let all = try BackendFixture.view(rows: earlier + rows, columns: 3 * n, seed: rows)
                let queries = all.slice(rows: earlier..<all.rows).slice(columns: 0..<n)
                let isEqual = try fixture.compare(
                    { try BackendFixture.view(rows: rows, columns: n, gap: rows % 2, seed: 1) }, tolerance: tolerance
                ) { backend, out in
                    backend.attention(
                        queries: queries, keys: all.slice(columns: n..<(2 * n)),
                        values: all.slice(columns: (2 * n)..<(3 * n)),
                        positions: backend === fixture.backend ? mine : other, into: out)
                }
                #expect(isEqual, "\(earlier) + \(rows) rows, \(heads) heads of \(size), reach \(reach)")
            }
        }
    }

    @Test("relative attention equals plain loops", arguments: BackendFixture.choices, BackendFixture.threads)
    func attention(choice: ComputeOptions.Backend, threads: Int) throws {
        try Self.check(try BackendFixture(choice, threads: threads))
    }

    @Test(
        "relative attention comes close to plain loops in every format",
        arguments: [ComputeType.bfloat16, .int16, .int8].filter(\.isAvailable))
    func formats(type: ComputeType) throws {
        try Self.check(try BackendFixture(.auto, threads: 2, type: type), tolerance: type == .int16 ? 2e-3 : 2e-2)
    }

    @Test("all instruction sets agree", arguments: InstructionSets.all)
    func instructionSets(set: String) throws {
        // Opens OpenBLAS first, which chooses its kernels by the processor.
        _ = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
        try InstructionSets.limited(to: set) {
            let fixture = try BackendFixture(.auto, threads: 1)
            try Self.check(fixture)
            try Self.checkConvolutions(fixture)
            try Self.checkActivations(fixture)
        }
    }

    @Test("convolutions and gates equal plain loops", arguments: BackendFixture.choices, BackendFixture.threads)
    func convolutions(choice: ComputeOptions.Backend, threads: Int) throws {
        try Self.checkConvolutions(try BackendFixture(choice, threads: threads))
    }

    private static func checkConvolutions(_ fixture: BackendFixture) throws {
        for columns in [16, 32, 80] {
            for rows in [1, 2, 4, 5, 9, 40, 100] {
                let x = try BackendFixture.view(rows: rows, columns: 2 * columns, gap: 3, seed: 1)
                let isGated = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: columns, gap: 1, seed: 2)
                } _: {
                    $0.gate(x, into: $1)
                }
                #expect(isGated, "gate, \(rows) × \(columns)")
                for (taps, before, activation) in [
                    (1, 0, Activation.none), (3, 1, .relu), (9, 4, .silu), (9, 8, .silu), (9, 0, .none),
                ] {
                    let kernel = try BackendFixture.tensor(taps * columns, seed: 3)
                    let bias = try BackendFixture.tensor(columns, seed: 4)
                    let isConvolved = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: columns, gap: 1, seed: 2)
                    } _: {
                        $0.convolveRows(
                            x.slice(columns: 0..<columns), kernel: kernel, before: before, bias: bias,
                            activation: activation, into: $1)
                    }
                    #expect(isConvolved, "\(taps) taps, \(before) before, \(rows) × \(columns)")
                }
            }
        }
        for before in 1...2 { try checkHalving(fixture, before: before) }
    }

    private static func checkHalving(_ fixture: BackendFixture, before: Int) throws {
        for (rows, columns, channels, outputs) in [(1, 1, 1, 16), (5, 4, 1, 32), (8, 7, 16, 16), (13, 10, 48, 48)] {
            let kernels = try ImageKernels(
                BackendFixture.tensor(9 * outputs, seed: 5), bias: BackendFixture.tensor(outputs, seed: 6),
                before: before)
            let pixels = try BackendFixture.tensor(rows * columns * channels, seed: 7)
            let half = ImageRows.half(rows, before: before), halfColumns = ImageRows.half(columns, before: before)
            for range in [0..<half, 0..<1, (half - 1)..<half, (half / 2)..<half] {
                let needed = ImageRows.sources(of: range, rows: rows, before: before)
                let image = ImageRows(
                    pixels, offset: needed.lowerBound * columns * channels, range: needed, of: rows, columns: columns,
                    channels: channels)
                let width = halfColumns * outputs
                let isEqual = try fixture.compare {
                    try BackendFixture.view(rows: range.count, columns: width, seed: 8)
                } _: { backend, out in
                    let half = ImageRows(
                        out.tensor, range: range, of: half, columns: halfColumns, channels: outputs)
                    backend.halve(image, by: kernels, activation: .relu, into: half)
                }
                #expect(isEqual, "\(before) before, rows \(range) of \(rows) × \(columns) × \(channels)")
            }
        }
    }

    @Test(
        "SiLU and ReLU after a linear layer equal plain loops", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func activations(choice: ComputeOptions.Backend, threads: Int) throws {
        try Self.checkActivations(try BackendFixture(choice, threads: threads))
    }

    private static func checkActivations(_ fixture: BackendFixture) throws {
        for use in [MatrixUse.manyRows, .fewRows] {
            for (rows, outputs, inputs) in [(1, 33, 17), (7, 64, 64), (40, 130, 65)] {
                let weight = try Tensor(BackendFixture.values(outputs * inputs, seed: 1).map { Float(Float16($0 * 4)) })
                let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs, for: use)
                let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs, for: use)
                let x = try BackendFixture.view(rows: rows, columns: inputs, seed: 2)
                for (bias, activation) in [
                    (nil, Activation.silu), (try BackendFixture.tensor(outputs, seed: 3), .relu),
                ] {
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: outputs, gap: 1, seed: 4)
                    } _: {
                        ($0 === fixture.backend ? mine : other).multiply(
                            x, bias: bias, activation: activation, accumulate: false, into: $1)
                    }
                    #expect(isEqual, "\(rows) rows, \(outputs) × \(inputs), \(activation)")
                }
            }
        }
    }
}
