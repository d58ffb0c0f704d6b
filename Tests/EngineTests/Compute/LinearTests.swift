import Testing

@Suite("Linear layers of the backends")
struct LinearTests {
    /// Outputs and inputs, mostly not multiples of a vector.
    static let shapes = [(1, 1), (5, 3), (7, 48), (33, 17), (64, 64), (130, 65), (129, 384), (200, 100), (300, 31)]
    static let rows = Array(1...40) + [64, 70, 127, 130, 200]

    /// Weights that are exact in float16, which backends store differently for few rows.
    private static func halves(_ count: Int) throws -> Tensor {
        let full = try BackendFixture.tensor(count, seed: 1)
        return try Tensor(full.values(0..<count).map { Float(Float16($0)) })
    }

    static func check(
        _ fixture: BackendFixture, rows: Int, outputs: Int, inputs: Int, for use: MatrixUse = .manyRows
    ) throws {
        let count = outputs * inputs
        let weight = use == .fewRows ? try halves(count) : try BackendFixture.tensor(count, seed: 1)
        let bias = try BackendFixture.tensor(outputs, seed: 2)
        let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs, for: use)
        let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs, for: use)
        #expect(mine.outputs == outputs && mine.inputs == inputs)
        let gap = rows % 3, x = try BackendFixture.view(rows: rows, columns: inputs, gap: gap, offset: 5, seed: 3)
        let variants: [(Tensor?, Activation, Bool)] = [
            (nil, .none, false), (bias, .none, false), (bias, .gelu, false), (bias, .none, true), (nil, .none, true),
        ]
        for (index, (bias, activation, accumulate)) in variants.enumerated() where (rows + index) % 2 == 0 || rows < 12
        {
            let isEqual = try fixture.compare {
                try BackendFixture.view(rows: rows, columns: outputs, gap: 2 - gap, offset: 3, seed: 4)
            } _: { backend, y in
                (backend === fixture.backend ? mine : other).multiply(
                    x, bias: bias, activation: activation, accumulate: accumulate, into: y)
            }
            #expect(isEqual, "\(rows) rows, \(outputs) × \(inputs), variant \(index)")
        }
    }

    @Test(
        "linear layers equal plain loops and write only to their rows", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func plain(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for rows in Self.rows {
            for (outputs, inputs) in Self.shapes where rows < 41 || outputs < 130 {
                try Self.check(fixture, rows: rows, outputs: outputs, inputs: inputs)
            }
        }
    }

    @Test(
        "weights stored in float16 give the same results", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func halfWeights(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for rows in Array(1...12) + [31, 70, 200] {
            for (outputs, inputs) in Self.shapes {
                try Self.check(fixture, rows: rows, outputs: outputs, inputs: inputs, for: .fewRows)
            }
        }
    }

    @Test("weights that do not fit float16 stay float32", arguments: BackendFixture.choices)
    func fullWeights(choice: ComputeOptions.Backend) throws {
        let backend = try BackendFixture(choice, threads: 1).backend
        for value in [Float(1) + 0x1p-11, 65_520, 0x1p-26] {
            let matrix = try backend.prepare(try Tensor([1, value]), outputs: 2, inputs: 1, for: .fewRows)
            let row = try Tensor(count: 1)
            matrix.copyRow(1, to: row, at: 0)
            #expect(row[0] == value)
        }
    }

    @Test("rows are looked up in either format", arguments: BackendFixture.choices, [MatrixUse.manyRows, .fewRows])
    func rowLookup(choice: ComputeOptions.Backend, use: MatrixUse) throws {
        let backend = try BackendFixture(choice, threads: 1).backend
        let weight = try Self.halves(7 * 33)
        let matrix = try backend.prepare(weight, outputs: 7, inputs: 33, for: use)
        let out = try Tensor(count: 40)
        for row in 0..<7 {
            matrix.copyRow(row, to: out, at: 4)
            #expect(out.values(4..<37) == weight.values((row * 33)..<(row * 33 + 33)))
        }
    }

    @Test(
        "overlapping rows, as in a convolution, are multiplied correctly", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func overlapping(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for (bands, stride, outputs) in [(5, 1, 7), (16, 2, 33), (20, 1, 64), (33, 2, 130)] {
            for rows in [1, 2, 7, 8, 9, 31, 100, 161] {
                let inputs = 3 * bands
                let tensor = try BackendFixture.tensor((rows + 3) * stride * bands + inputs, seed: rows)
                let x = TensorView(tensor, offset: bands, rows: rows, columns: inputs, stride: stride * bands)
                let weight = try BackendFixture.tensor(outputs * inputs, seed: 1)
                let bias = try BackendFixture.tensor(outputs, seed: 2)
                let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs)
                let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs)
                for (activation, accumulate) in [(Activation.gelu, false), (.none, false), (.none, true)] {
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: outputs, seed: 4)
                    } _: { backend, y in
                        (backend === fixture.backend ? mine : other).multiply(
                            x, bias: bias, activation: activation, accumulate: accumulate, into: y)
                    }
                    #expect(isEqual, "\(rows) rows of \(inputs) every \(stride * bands)")
                }
            }
        }
    }

    @Test(
        "a convolution is the sum of its parts, in every format",
        arguments: ComputeType.allCases.filter(\.isAvailable))
    func convolution(type: ComputeType) throws {
        // Frames of bands of channels with a border, and three of each as the input of a row.
        let frames = 40, bands = 6, channels = 4, outputs = 35, pitch = (bands + 2) * channels, inputs = 9 * channels
        func numbers(_ seed: Int, _ count: Int) -> [Float] {
            PlantedNumbers.units(seed, [], count: count).map { Float($0 - 0.5) }
        }
        let x = numbers(1, (frames + 2) * pitch), weights = numbers(2, outputs * inputs), bias = numbers(3, outputs)
        var expected: [Float] = []
        for frame in 0..<frames {
            for band in 0..<bands {
                for output in 0..<outputs {
                    var sum = bias[output]
                    for part in 0..<3 {
                        for i in 0..<(3 * channels) {
                            sum +=
                                x[(frame + part) * pitch + band * channels + i]
                                * weights[output * inputs + part * 3 * channels + i]
                        }
                    }
                    expected.append(sum)
                }
            }
        }
        let layout = ConvolutionLayout(
            groups: frames, rows: bands, parts: 3, partColumns: 3 * channels, partStride: pitch,
            input: ConvolutionLayout.Places(start: 0, row: channels, group: pitch),
            output: ConvolutionLayout.Places(start: 0, row: outputs, group: bands * outputs))
        let tolerance: Float = type == .float32 ? 1e-5 : type == .int16 ? 5e-3 : 5e-2
        for backend in [
            try ComputeOptions(computeType: type, threads: 1).makeBackend(),
            try ComputeOptions(backend: .reference).makeBackend(),
        ] {
            let weight = try backend.prepare(Tensor(weights), outputs: outputs, inputs: inputs)
            let y = try Tensor(count: expected.count)
            for times in 1...2 {
                weight.convolve(try Tensor(x), layout, bias: try Tensor(bias), accumulate: times == 2, into: y)
                let difference = greatestDifference(y.values(0..<y.count), expected.map { Float(times) * $0 })
                #expect(difference < tolerance * Float(times), "\(type), \(backend.name): \(difference)")
            }
        }
    }
}
