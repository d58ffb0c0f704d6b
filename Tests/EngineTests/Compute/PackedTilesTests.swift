import Foundation
import Testing

/// Compares products in fewer bits with float32.
@Suite("Reduced-precision products")
struct PackedTilesTests {
    /// The types that this processor computes in their own format.
    static let types = [ComputeType.bfloat16, .int16, .int8].filter(\.isAvailable)

    /// A type, and an instruction set of this processor that has kernels for it.
    struct Case: CustomTestStringConvertible, Sendable {
        let set: String
        let type: ComputeType
        var testDescription: String { "\(type) with \(set)" }
    }

    static let cases = InstructionSets.all.flatMap { (set: String) -> [Case] in
        let types: [ComputeType] = [.bfloat16, .int16, .int8]
        return types.filter { type in
            Processor.with(instructionSet: set) { type.isAvailable } ?? false
        }.map { Case(set: set, type: $0) }
    }

    static let shapes = [
        (1, 1), (5, 3), (33, 17), (64, 64), (65, 130), (64, 1024), (129, 384), (100, 1601), (300, 31),
    ]
    static let rows = [1, 2, 5, 6, 7, 13, 95, 96, 97, 200, 300]

    /// Calls `body` with a backend whose many-row products use the case's instruction set.
    private static func with(_ one: Case, threads: Int = 2, _ body: (any ComputeBackend) throws -> Void) throws {
        let ran: Void? = try Processor.with(instructionSet: one.set) {
            let backend = try ComputeOptions(computeType: one.type, threads: threads).makeBackend()
            #expect(backend.computeType == one.type)
            try body(backend)
        }
        #expect(ran != nil)
    }

    /// The number format of weights, by the backend's description such as `int8 (AVX512_VNNI), attention in bfloat16 (…`.
    private static func format(_ backend: any ComputeBackend) -> String {
        String(backend.kernels.prefix { $0 != " " })
    }

    /// Both uses, as in a network.
    private static func use(outputs: Int, inputs: Int) -> MatrixUse {
        inputs > outputs && inputs % outputs == 0 ? .activatedRows : .manyRows
    }

    /// Whole numbers up to `top`, with ±top in each group of 128 columns.
    private static func wholes(_ count: Int, columns: Int, top: Float, seed: Int) throws -> Tensor {
        var values = BackendFixture.values(count, seed: seed).map { ($0 * (top - 1)).rounded() }
        for row in 0..<(count / columns) {
            for column in stride(from: (row * 7) % min(columns, 128), to: columns, by: 128) {
                values[row * columns + column] = row % 2 == 0 ? top : -top
            }
        }
        return try Tensor(values)
    }

    @Test("after an activation, a large value with 8 bits makes only its group coarse")
    func activatedRows() throws {
        let backend = try ComputeOptions(computeType: .int8, threads: 1).makeBackend()
        let outputs = 48, inputs = 4096
        var input = BackendFixture.values(inputs, seed: 1).map { $0 / 50 }
        let weight = try BackendFixture.tensor(outputs * inputs, seed: 2)
        // An outlier in a group that adds nothing to the sums.
        for output in 0..<outputs { weight.fill((output * inputs)..<(output * inputs + 128), with: 0) }
        input[5] = 40
        func error(_ use: MatrixUse) throws -> Float {
            let matrix = try backend.prepare(weight, outputs: outputs, inputs: inputs, for: use)
            let y = try Tensor(count: outputs).rows(1, columns: outputs)
            matrix.multiply(
                try Tensor(input).rows(1, columns: inputs), bias: nil, activation: .none, accumulate: false, into: y)
            return (0..<outputs).map { (output: Int) -> Float in
                let row = weight.values((output * inputs)..<((output + 1) * inputs))
                return abs(zip(input, row).reduce(0) { $0 + $1.0 * $1.1 } - y.tensor[output])
            }.max() ?? 0
        }
        let exact = try error(.activatedRows)
        #expect(exact < 0.02)
        // Some processors multiply no bytes.
        if backend.kernels.hasPrefix("int8") { #expect(try error(.manyRows) > 3 * exact) }
    }

    @Test("products of exactly representable numbers equal float32", arguments: cases, BackendFixture.threads)
    func exact(one: Case, threads: Int) throws {
        try Self.with(one, threads: threads) { backend in
            let reference = try ComputeOptions(backend: .reference).makeBackend()
            for (outputs, inputs) in Self.shapes {
                // 16-bit integers have all 16 bits only for so few products that none of their sums can overflow.
                let use = Self.use(outputs: outputs, inputs: inputs), isShort = Self.format(backend) == "int16"
                if isShort && inputs > 31 { continue }
                let weight = try Self.wholes(outputs * inputs, columns: inputs, top: isShort ? 2047 : 127, seed: 1)
                let mine = try backend.prepare(weight, outputs: outputs, inputs: inputs, for: use)
                let other = try reference.prepare(weight, outputs: outputs, inputs: inputs)
                let bias = try BackendFixture.tensor(outputs, seed: 2)
                for rows in Self.rows where rows < 14 || outputs < 70 {
                    let top: Float = isShort ? 32767 : 127
                    let x = try Self.wholes(rows * inputs, columns: inputs, top: top, seed: rows)
                    for (activation, accumulate) in [(Activation.none, false), (.gelu, false), (.none, true)] {
                        let found = try BackendFixture.view(rows: rows, columns: outputs, gap: 2, offset: 3, seed: 4)
                        let expected = try BackendFixture.view(rows: rows, columns: outputs, gap: 2, offset: 3, seed: 4)
                        for (weight, y) in [(mine, found), (other, expected)] {
                            weight.multiply(
                                x.rows(rows, columns: inputs), bias: bias, activation: activation,
                                accumulate: accumulate, into: y)
                        }
                        let error = NetworkFixture.error(BackendFixture.all(found), BackendFixture.all(expected))
                        #expect(error <= BackendFixture.tolerance, "\(rows) rows, \(outputs) × \(inputs)")
                    }
                }
                let row = try Tensor(count: inputs)
                mine.copyRow(outputs - 1, to: row, at: 0)
                #expect(
                    NetworkFixture.error(
                        row.values(0..<inputs), weight.values(((outputs - 1) * inputs)..<(outputs * inputs))) < 1e-6)
            }
        }
    }

    /// Outputs and inputs of all layers from tiny to large-v3 whose products have many rows.
    static let layers = [384, 512, 768, 1024, 1280].flatMap { (n: Int) -> [(Int, Int)] in
        let bands = n == 1280 ? 128 : 80
        return [(n, 3 * bands), (n, 3 * n), (3 * n, n), (n, n), (4 * n, n), (n, 4 * n)]
    }

    @Test("products are accurate to the rounding of their inputs", arguments: cases)
    func bounded(one: Case) throws {
        try Self.with(one) { backend in
            for (outputs, inputs) in Self.shapes + Self.layers {
                let use = Self.use(outputs: outputs, inputs: inputs), format = Self.format(backend)
                let rows = outputs < 384 ? 31 : 7
                let units = BackendFixture.values(10_007, seed: 1)
                let w = (0..<(outputs * inputs)).map { units[$0 % units.count] }
                let x = BackendFixture.values(rows * inputs, seed: 2)
                let matrix = try backend.prepare(try Tensor(w), outputs: outputs, inputs: inputs, for: use)
                let y = try Tensor(count: rows * outputs)
                matrix.multiply(
                    try Tensor(x).rows(rows, columns: inputs), bias: nil, activation: .none, accumulate: false,
                    into: y.rows(rows, columns: outputs))
                // Half a unit of an integer, relative to the row's maximum.
                let unit = format == "int8" ? 1 / 254.0 : 1 / 4094
                let unitOfX = format == "int8" ? unit : 0.5 / min(32767, Double(Int32.max) / 2047 / Double(inputs) - 1)
                for row in 0..<rows {
                    let a = x[(row * inputs)..<((row + 1) * inputs)].map { Double($0) }, top = a.map(abs).max() ?? 0
                    for output in stride(from: row, to: outputs, by: outputs < 384 ? 1 : 97) {
                        let b = w[(output * inputs)..<((output + 1) * inputs)].map { Double($0) }
                        let topOfWeights = b.map(abs).max() ?? 0
                        var sum = 0.0, bound = 1e-5
                        for (a, b) in zip(a, b) {
                            sum += a * b
                            // Half a unit in the last place of bfloat16: at most 2^-8 of the number.
                            let da = format == "bfloat16" ? abs(a) / 256 : top * unitOfX
                            let db = format == "bfloat16" ? abs(b) / 256 : topOfWeights * unit
                            bound += 1.001 * (abs(a) * db + abs(b) * da + da * db)
                        }
                        let error = abs(Double(y[row * outputs + output]) - sum)
                        if !(error <= bound) {
                            Issue.record("\(row), \(output) of \(outputs) × \(inputs): error \(error), bound \(bound)")
                        }
                    }
                }
            }
        }
    }

    @Test("sums of products of the largest integers do not overflow", arguments: cases)
    func largest(one: Case) throws {
        try Self.with(one) { backend in
            for inputs in [1, 31, 1280, 5120, 40_000] {
                let matrix = try backend.prepare(
                    try Tensor([Float](repeating: -3, count: 17 * inputs)), outputs: 17, inputs: inputs)
                let y = try Tensor(count: 17)
                matrix.multiply(
                    try Tensor([Float](repeating: 5, count: inputs)).rows(1, columns: inputs), bias: nil,
                    activation: .none, accumulate: false, into: y.rows(1, columns: 17))
                for value in y.values(0..<17) { #expect(abs(value / Float(inputs) + 15) < 1e-3) }
            }
        }
    }

    @Test("zeros and rows of very different magnitudes are multiplied correctly", arguments: cases)
    func scales(one: Case) throws {
        try Self.with(one) { backend in
            let matrix = try backend.prepare(try Tensor([1, 1, 0, 0, 1e-20, 1e-20]), outputs: 3, inputs: 2)
            let x = try Tensor([0, 0, 1e-20, 1e-20, 1e20, 1e20]), y = try Tensor(count: 9)
            matrix.multiply(
                x.rows(3, columns: 2), bias: nil, activation: .none, accumulate: false, into: y.rows(3, columns: 3))
            let expected: [Float] = [0, 0, 0, 2e-20, 0, 0, 2e20, 0, 2]
            for (found, expected) in zip(y.values(0..<9), expected) {
                #expect(abs(found - expected) <= 0.01 * abs(expected) + 1e-30)
            }
        }
    }

    @Test("attention has an error below 1 %", arguments: cases, BackendFixture.threads)
    func attention(one: Case, threads: Int) throws {
        try Self.with(one, threads: threads) { backend in
            let reference = try ComputeOptions(backend: .reference).makeBackend()
            for (heads, size) in AttentionTests.heads {
                for (rows, keys) in [
                    (1, 1), (1, 7), (3, 2), (7, 33), (40, 40), (128, 20), (129, 65), (257, 31), (25, 130),
                ] {
                    let n = heads * size
                    let all = try BackendFixture.view(rows: max(rows, keys), columns: 3 * n, seed: rows + keys)
                    let results = try [backend, reference].map { backend in
                        let out = try BackendFixture.view(rows: rows, columns: n, gap: rows % 2, seed: 1)
                        backend.attention(
                            queries: all.slice(rows: 0..<rows).slice(columns: 0..<n),
                            keys: all.slice(rows: 0..<keys).slice(columns: n..<(2 * n)),
                            values: all.slice(rows: 0..<keys).slice(columns: (2 * n)..<(3 * n)), heads: heads, into: out
                        )
                        return BackendFixture.all(out)
                    }
                    #expect(
                        NetworkFixture.error(results[0], results[1]) < 0.01, "\(rows) × \(keys), \(heads) of \(size)")
                }
                for keys in AttentionTests.StoredKeys.all {
                    let results = try [(backend, true), (backend, false), (reference, false)].map {
                        let out = try BackendFixture.view(rows: keys.queries, columns: heads * size, seed: 1)
                        try keys.compute($0.0, heads: heads, size: size, areStored: $0.1, into: out)
                        return out.values
                    }
                    // As exact as attention over all keys at once.
                    let errors = results.map { NetworkFixture.error($0, results[2]) }
                    #expect(errors[0] < max(0.01, 1.1 * errors[1]), "\(keys), \(heads) of \(size), \(errors)")
                }
            }
        }
    }

    @Test(
        "the encoder output has a cosine similarity near 1 to the reference's", arguments: NetworkFixture.models, cases)
    func encoder(name: String, one: Case) throws {
        let path = Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false)
        try Self.with(one) { backend in
            let model = try WhisperModel(try GGMLFile(FilePath(path)), backend: backend)
            let output = try AudioEncoder(model).encode(try NetworkFixture.window(name)).values
            let expected = try Fixtures.floats("model/\(name)/encoder-output.f32")
            func dot(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
            let cosine = dot(output, expected) / (dot(output, output) * dot(expected, expected)).squareRoot()
            #expect(cosine > (backend.kernels.hasPrefix("int8") ? 0.999 : 0.9999), "\(cosine)")
        }
    }

    @Test("by default, factors are 16-bit integers, unless a library is requested by name")
    func byDefault() throws {
        #if arch(x86_64)
            let expected = ComputeType.int16
        #else
            let expected = ComputeType.float32
        #endif
        for set in InstructionSets.all {
            try InstructionSets.limited(to: set) {
                let backend = try ComputeOptions().makeBackend()
                #expect(backend.kernels.hasPrefix("\(expected) ("), "\(set): \(backend.kernels)")
                #expect(backend.computeType == expected)
            }
        }
        #expect(try ComputeOptions(backend: .openblas).makeBackend().computeType == .float32)
        #expect(try ComputeOptions(backend: .openblas, computeType: .int16).makeBackend().computeType == .int16)
    }

    @Test("a processor without support multiplies many rows in float32")
    func missing() throws {
        _ = try Processor.with(instructionSet: "baseline") {
            #expect(!ComputeType.bfloat16.isAvailable)
            for type in [ComputeType.bfloat16, .int16, .int8] {
                let backend = try ComputeOptions(computeType: type).makeBackend()
                #expect(backend.computeType == type)
                #expect(backend.kernels.hasPrefix(type.isAvailable ? "int16 (" : "float32 ("), "\(backend.kernels)")
            }
            let speed = try ComputeType.bfloat16.measuredSpeed()
            #expect(speed == nil)
        }
        #expect(throws: ComputeError.backendIsFloat32(name: "reference")) {
            try ComputeOptions(backend: .reference, computeType: .int8).makeBackend()
        }
        for type in Self.types {
            let speed = try #require(try type.measuredSpeed())
            #expect(speed.gigaflops > 0 && speed.peakGigaflops > speed.gigaflops / 2)
        }
    }
}
