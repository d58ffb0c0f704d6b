import Foundation
import Testing
import WhisperEngine

/// Compares products in bfloat16 and int8 with float32.
@Suite("Reduced-precision products")
struct PackedTilesTests {
    static let types = [ComputeType.bfloat16, .int8].filter(\.isAvailable)
    static let shapes = [(1, 1), (5, 3), (33, 17), (64, 64), (65, 130), (129, 384), (100, 1601), (300, 31)]
    static let rows = [1, 2, 5, 6, 7, 13, 95, 96, 97, 200, 300]

    private static func backend(_ type: ComputeType, threads: Int = 2) throws -> any ComputeBackend {
        let backend = try ComputeOptions(computeType: type, threads: threads).makeBackend()
        #expect(backend.computeType == type)
        return backend
    }

    /// Numbers that are exact in both formats: integers up to 127, with ±127 in each row.
    private static func wholes(_ count: Int, columns: Int, seed: Int) -> [Float] {
        var values = BackendFixture.values(count, seed: seed).map { ($0 * 126).rounded() }
        for row in 0..<(count / columns) { values[row * columns + (row * 7) % columns] = row % 2 == 0 ? 127 : -127 }
        return values
    }

    @Test("products of exactly representable numbers equal float32", arguments: types, BackendFixture.threads)
    func exact(type: ComputeType, threads: Int) throws {
        let backend = try Self.backend(type, threads: threads)
        let reference = try ComputeOptions(backend: .reference).makeBackend()
        for (outputs, inputs) in Self.shapes {
            let weight = try Tensor(Self.wholes(outputs * inputs, columns: inputs, seed: 1))
            let mine = try backend.prepare(weight, outputs: outputs, inputs: inputs)
            let other = try reference.prepare(weight, outputs: outputs, inputs: inputs)
            let bias = try BackendFixture.tensor(outputs, seed: 2)
            for rows in Self.rows where rows < 14 || outputs < 70 {
                let x = try Tensor(Self.wholes(rows * inputs, columns: inputs, seed: rows)).rows(rows, columns: inputs)
                for (activation, accumulate) in [(Activation.none, false), (.gelu, false), (.none, true)] {
                    let found = try BackendFixture.view(rows: rows, columns: outputs, gap: 2, offset: 3, seed: 4)
                    let expected = try BackendFixture.view(rows: rows, columns: outputs, gap: 2, offset: 3, seed: 4)
                    backend.linear(x, mine, bias: bias, activation: activation, accumulate: accumulate, into: found)
                    reference.linear(
                        x, other, bias: bias, activation: activation, accumulate: accumulate, into: expected)
                    let error = NetworkFixture.error(BackendFixture.all(found), BackendFixture.all(expected))
                    #expect(error <= BackendFixture.tolerance, "\(rows) rows, \(outputs) × \(inputs)")
                }
            }
            let row = try Tensor(count: inputs)
            backend.copyRow(outputs - 1, of: mine, to: row, at: 0)
            #expect(row.values(0..<inputs) == weight.values(((outputs - 1) * inputs)..<(outputs * inputs)))
        }
    }

    @Test("products are accurate to the rounding of their inputs", arguments: types)
    func bounded(type: ComputeType) throws {
        let backend = try Self.backend(type)
        for (outputs, inputs) in Self.shapes {
            // Layers with a multiple of their outputs as inputs use bfloat16 with both types.
            let rows = 31, isRounded = type == .bfloat16 || (inputs > outputs && inputs % outputs == 0)
            let w = BackendFixture.values(outputs * inputs, seed: 1), x = BackendFixture.values(rows * inputs, seed: 2)
            let matrix = try backend.prepare(try Tensor(w), outputs: outputs, inputs: inputs)
            let y = try Tensor(count: rows * outputs)
            backend.linear(
                try Tensor(x).rows(rows, columns: inputs), matrix, bias: nil, activation: .none, accumulate: false,
                into: y.rows(rows, columns: outputs))
            for row in 0..<rows {
                let a = x[(row * inputs)..<((row + 1) * inputs)], top = Double(a.map(abs).max() ?? 0)
                for output in 0..<outputs {
                    let b = w[(output * inputs)..<((output + 1) * inputs)], topOfWeights = Double(b.map(abs).max() ?? 0)
                    var sum = 0.0, bound = 1e-5
                    for (a, b) in zip(a, b) {
                        let a = Double(a), b = Double(b)
                        sum += a * b
                        // Half a unit in the last place: at most 2^-8 of the number, or 1/254 of the row's maximum.
                        let da = isRounded ? abs(a) / 256 : top / 254
                        let db = isRounded ? abs(b) / 256 : topOfWeights / 254
                        bound += 1.001 * (abs(a) * db + abs(b) * da + da * db)
                    }
                    let error = abs(Double(y[row * outputs + output]) - sum)
                    if error > bound {
                        Issue.record("\(row), \(output) of \(outputs) × \(inputs): \(error) > \(bound)")
                    }
                }
            }
        }
    }

    @Test("zeros and rows of very different magnitudes are multiplied correctly", arguments: types)
    func scales(type: ComputeType) throws {
        let backend = try Self.backend(type)
        let matrix = try backend.prepare(try Tensor([1, 1, 0, 0, 1e-20, 1e-20]), outputs: 3, inputs: 2)
        let x = try Tensor([0, 0, 1e-20, 1e-20, 1e20, 1e20]), y = try Tensor(count: 9)
        backend.linear(
            x.rows(3, columns: 2), matrix, bias: nil, activation: .none, accumulate: false, into: y.rows(3, columns: 3))
        let expected: [Float] = [0, 0, 0, 2e-20, 0, 0, 2e20, 0, 2]
        for (found, expected) in zip(y.values(0..<9), expected) {
            #expect(abs(found - expected) <= 0.01 * abs(expected) + 1e-30)
        }
    }

    @Test("attention has an error below 1 %", arguments: types, BackendFixture.threads)
    func attention(type: ComputeType, threads: Int) throws {
        let backend = try Self.backend(type, threads: threads)
        let reference = try ComputeOptions(backend: .reference).makeBackend()
        for (heads, size) in AttentionTests.heads {
            for (rows, keys) in [(1, 1), (1, 7), (3, 2), (7, 33), (40, 40), (128, 20), (129, 65), (257, 31), (25, 130)]
            {
                let n = heads * size
                let all = try BackendFixture.view(rows: max(rows, keys), columns: 3 * n, seed: rows + keys)
                let results = try [backend, reference].map { backend in
                    let out = try BackendFixture.view(rows: rows, columns: n, gap: rows % 2, seed: 1)
                    backend.attention(
                        queries: all.slice(rows: 0..<rows).slice(columns: 0..<n),
                        keys: all.slice(rows: 0..<keys).slice(columns: n..<(2 * n)),
                        values: all.slice(rows: 0..<keys).slice(columns: (2 * n)..<(3 * n)), heads: heads, into: out)
                    return BackendFixture.all(out)
                }
                #expect(NetworkFixture.error(results[0], results[1]) < 0.01, "\(rows) × \(keys), \(heads) of \(size)")
            }
        }
    }

    @Test(
        "the encoder output has a cosine similarity near 1 to the reference's", arguments: NetworkFixture.models, types)
    func encoder(name: String, type: ComputeType) throws {
        let path = Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false)
        let model = try WhisperModel(
            try GGMLFile(FilePath(path)), options: ComputeOptions(computeType: type, threads: 2))
        let output = try AudioEncoder(model).encode(try NetworkFixture.window(name)).values
        let expected = try Fixtures.floats("model/\(name)/encoder-output.f32")
        func dot(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        let cosine = dot(output, expected) / (dot(output, output) * dot(expected, expected)).squareRoot()
        #expect(cosine > (type == .bfloat16 ? 0.9999 : 0.999), "\(cosine)")
    }

    @Test("a processor without support multiplies many rows in float32")
    func missing() throws {
        _ = try Processor.with(instructionSet: "avx2") {
            #expect(!ComputeType.bfloat16.isAvailable && !ComputeType.int8.isAvailable)
            for type in [ComputeType.bfloat16, .int8] {
                #expect(try ComputeOptions(computeType: type).makeBackend().computeType == type)
            }
            let backend = try ComputeOptions(computeType: .auto).makeBackend()
            #expect(backend.computeType == .float32)
            let speed = try ComputeType.bfloat16.measuredGigaflops()
            #expect(speed == nil)
        }
        #expect(throws: ComputeError.backendIsFloat32(name: "reference")) {
            try ComputeOptions(backend: .reference, computeType: .int8).makeBackend()
        }
        for type in Self.types {
            let speed = try type.measuredGigaflops() ?? 0
            #expect(speed > 0)
        }
    }
}
