import Testing

@Suite("8-bit weights")
struct ByteWeightsTests {
    /// Outputs and inputs, mostly not multiples of a block.
    static let shapes = [
        (1, 1), (5, 3), (31, 48), (32, 4), (33, 17), (64, 64), (130, 65), (129, 384), (300, 31), (9, 1030),
    ]
    static let rows = Array(1...20) + [31, 70]

    private static func backend(threads: Int) throws -> any ComputeBackend {
        try ComputeOptions(backend: .openblas, computeType: .int8, threads: threads).makeBackend()
    }

    /// The maximum rounding error: half a step (1/127 of the row's maximum) per weight, plus a little for 16-bit inputs
    /// and float32 sums.
    private static func bound(_ x: [Float], _ w: [Float]) -> Float {
        let sum = x.reduce(0) { $0 + abs($1) }, greatest = w.map(abs).max() ?? 0
        return sum * greatest * (0.5 / 127 + 1e-4) + (x.map(abs).max() ?? 0) * greatest * Float(x.count) / 60_000
    }

    @Test(
        "products are accurate to half a step per weight and write only to their rows",
        arguments: InstructionSets.all)
    func products(set: String) throws {
        try InstructionSets.limited(to: set) {
            let backend = try Self.backend(threads: 1)
            for (outputs, inputs) in Self.shapes {
                let weight = BackendFixture.values(outputs * inputs, seed: 1)
                let bias = BackendFixture.values(outputs, seed: 2)
                let matrix = try backend.prepare(Tensor(weight), outputs: outputs, inputs: inputs, for: .fewRows)
                for rows in Self.rows {
                    let x = try BackendFixture.view(rows: rows, columns: inputs, gap: rows % 3, offset: 5, seed: 3)
                    for accumulate in [false, true] {
                        let y = try BackendFixture.view(rows: rows, columns: outputs, gap: 2, offset: 3, seed: 4)
                        let before = BackendFixture.all(y)
                        matrix.multiply(x, bias: try Tensor(bias), activation: .none, accumulate: accumulate, into: y)
                        var after = BackendFixture.all(y)
                        for row in 0..<rows {
                            let start = x.offset + row * x.stride
                            let input = x.tensor.values(start..<(start + inputs))
                            for output in 0..<outputs {
                                let at = y.offset + row * y.stride + output
                                let w = Array(weight[(output * inputs)..<((output + 1) * inputs)])
                                let exact = zip(input, w).reduce(Double(bias[output])) {
                                    $0 + Double($1.0) * Double($1.1)
                                }
                                let found = after[at] - (accumulate ? before[at] : 0)
                                if !(abs(found - Float(exact)) <= Self.bound(input, w) + 1e-5) {
                                    Issue.record("\(set), \(rows) rows, \(outputs) × \(inputs): \(found), \(exact)")
                                }
                                after[at] = before[at]
                            }
                        }
                        #expect(after == before, "\(rows) rows, \(outputs) × \(inputs)")
                    }
                }
            }
        }
    }

    @Test("results agree between instruction sets and thread counts up to float32 rounding")
    func agreement() throws {
        let weight = BackendFixture.values(130 * 384, seed: 1)
        let x = try BackendFixture.view(rows: 7, columns: 384, seed: 2)
        var results: [[Float]] = []
        for (set, threads) in InstructionSets.all.map({ ($0, 1) }) + [(Processor.instructionSet, 2)] {
            try InstructionSets.limited(to: set) {
                let backend = try Self.backend(threads: threads)
                let matrix = try backend.prepare(Tensor(weight), outputs: 130, inputs: 384, for: .fewRows)
                let y = try Tensor(count: 7 * 130).rows(7, columns: 130)
                matrix.multiply(x, bias: try Tensor(count: 130), activation: .gelu, accumulate: false, into: y)
                results.append(y.values)
            }
        }
        // Fused multiply-add makes some instruction sets round ties differently.
        for other in results.dropFirst() { #expect(NetworkFixture.error(other, results[0]) < 1e-4) }
    }

    @Test("sums of products of the largest numbers do not overflow", arguments: InstructionSets.all)
    func largest(set: String) throws {
        try InstructionSets.limited(to: set) {
            let backend = try Self.backend(threads: 1)
            for inputs in [508, 512, 516, 5120] {
                let weight = try Tensor([Float](repeating: -2, count: 3 * inputs))
                let matrix = try backend.prepare(weight, outputs: 3, inputs: inputs, for: .fewRows)
                let x = try Tensor([Float](repeating: 3, count: inputs)).rows(1, columns: inputs)
                let y = try Tensor(count: 3).rows(1, columns: 3)
                matrix.multiply(x, bias: nil, activation: .none, accumulate: false, into: y)
                for value in y.values { #expect(abs(value / Float(inputs) + 6) < 1e-3, "\(inputs) inputs: \(value)") }
            }
        }
    }

    @Test("extreme numbers are multiplied, NaN and infinity produce NaN", arguments: InstructionSets.all)
    func extremes(set: String) throws {
        try InstructionSets.limited(to: set) {
            let backend = try Self.backend(threads: 1)
            let weight = try Tensor([1, -1, 0, 0, 1e-38, 0, 3e38, -3e38, 127, 0.5])
            let matrix = try backend.prepare(weight, outputs: 5, inputs: 2, for: .fewRows)
            func product(_ x: [Float]) throws -> [Float] {
                let y = try Tensor(count: 5).rows(1, columns: 5)
                matrix.multiply(
                    try Tensor(x).rows(1, columns: 2), bias: nil, activation: .none, accumulate: false, into: y)
                return y.values
            }
            #expect(try product([1, 1]).prefix(3) == [0, 0, 0])
            #expect(try product([0, 0]) == [0, 0, 0, 0, 0])
            #expect(try product([1e-38, 0]) == [0, 0, 0, 0, 0])
            #expect(try product([.nan, 1]).allSatisfy(\.isNaN))
            #expect(try product([1, -.infinity]).allSatisfy(\.isNaN))
            #expect(abs(try product([1e30, 0])[0] / 1e30 - 1) < 1e-4)
        }
    }
}
