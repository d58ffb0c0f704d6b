import Foundation
import Testing

/// Compares the kernels of each instruction set with double-precision formulas.
@Suite("Instruction sets")
struct InstructionSetTests {
    /// Calls `body` with a single-threaded backend, because the instruction set is chosen for this thread.
    private static func with<R>(_ set: String, _ body: (any ComputeBackend) throws -> R) throws -> R {
        // Opens OpenBLAS first, which chooses its kernels by the processor.
        let backend = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
        return try InstructionSets.limited(to: set) { try body(backend) }
    }

    @Test("an instruction set is chosen for one thread and one call")
    func choice() throws {
        let best = Processor.instructionSet
        let seen = try Self.with("baseline") { _ in Processor.instructionSet }
        #expect(seen == "baseline" && Processor.instructionSet == best)
        #expect(InstructionSets.all.contains(best))
    }

    @Test("the newest instruction set is chosen, but not AVX512_BF16 on Intel's processors, where it is slow")
    func fastest() throws {
        let isIntel = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).contains("GenuineIntel")
        #expect(Processor.instructionSet == InstructionSets.all.last { !isIntel || $0 != "avx512bf16" })
    }

    @Test("GELU has an error below 1e-6", arguments: InstructionSets.all)
    func gelu(set: String) throws {
        let inputs = stride(from: Float(-12), through: 12, by: 0.00037).map { $0 } + [-100, 100, -1e30, 1e30, 0]
        let count = inputs.count
        let found = try Self.with(set) { backend in
            let weight = try backend.prepare(Tensor(inputs), outputs: count, inputs: 1)
            let y = try Tensor(count: count)
            weight.multiply(
                try Tensor([1]).rows(1, columns: 1), bias: try Tensor(count: count), activation: .gelu,
                accumulate: false, into: y.rows(1, columns: count))
            return y.values(0..<count)
        }
        for (x, y) in zip(inputs, found) {
            let exact = Double(x) / 2 * erfc(-Double(x) / 2.0.squareRoot())
            if !(abs(Double(y) - exact) <= max(1e-6, 2e-7 * abs(exact))) {
                Issue.record("gelu(\(x)) = \(y), not \(exact)")
            }
        }
    }

    @Test("softmax has an error below 1e-6", arguments: InstructionSets.all)
    func softmax(set: String) throws {
        for n in [1, 4, 9, 16, 25, 49, 64, 144, 256] {
            let scores = BackendFixture.values(n, seed: n).map { $0 * 30 }
            // Scores are q · k / √n, so they are put in the first column of the keys, with √n in q.
            var keys = [Float](repeating: 0, count: n * n), values = keys, query = [Float](repeating: 0, count: n)
            query[0] = Float(n).squareRoot()
            for i in 0..<n {
                keys[i * n] = scores[i]
                values[i * n + i] = 1
            }
            let found = try Self.with(set) { backend in
                let out = try Tensor(count: n)
                backend.attention(
                    queries: try Tensor(query).rows(1, columns: n), keys: try Tensor(keys).rows(n, columns: n),
                    values: try Tensor(values).rows(n, columns: n), heads: 1, into: out.rows(1, columns: n))
                return out.values(0..<n)
            }
            let greatest = scores.max() ?? 0
            let weights = scores.map { exp(Double($0) - Double(greatest)) }
            let total = weights.reduce(0, +)
            #expect(abs(found.reduce(0) { $0 + Double($1) } - 1) < 1e-6)
            for (index, weight) in weights.enumerated() {
                // Rounding of the scores adds 60 · 2^-24 = 4e-6 to the exponent.
                #expect(abs(Double(found[index]) - weight / total) <= 1e-6 + 8e-6 * weight / total, "\(index) of \(n)")
            }
        }
    }

    @Test("layer norm has an error below 2e-6", arguments: InstructionSets.all)
    func layerNorm(set: String) throws {
        for n in [2, 3, 8, 15, 16, 33, 64, 100, 384, 1280] {
            let x = BackendFixture.values(n, seed: 1).map { $0 * 5 + 3 }
            let gain = BackendFixture.values(n, seed: 2), shift = BackendFixture.values(n, seed: 3)
            let found = try Self.with(set) { backend in
                let y = try Tensor(count: n)
                backend.layerNorm(
                    try Tensor(x).rows(1, columns: n), gain: try Tensor(gain), shift: try Tensor(shift),
                    into: y.rows(1, columns: n))
                return y.values(0..<n)
            }
            let mean = x.reduce(0) { $0 + Double($1) } / Double(n)
            let variance = x.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(n)
            for i in 0..<n {
                let exact = (Double(x[i]) - mean) / (variance + 1e-5).squareRoot() * Double(gain[i]) + Double(shift[i])
                #expect(abs(Double(found[i]) - exact) < 2e-6, "\(i) of \(n)")
            }
        }
    }

    @Test("products and attention equal plain loops", arguments: InstructionSets.all)
    func products(set: String) throws {
        try Self.with(set) { backend in
            let fixture = try BackendFixture(.openblas, threads: 1)
            for (rows, outputs, inputs) in [
                (1, 33, 17), (2, 65, 31), (3, 7, 64), (4, 130, 65), (5, 9, 100), (8, 64, 129),
            ] {
                let weight = try BackendFixture.tensor(outputs * inputs, seed: 1)
                let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs)
                let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs)
                let bias = try BackendFixture.tensor(outputs, seed: 2)
                let x = try BackendFixture.view(rows: rows, columns: inputs, seed: 3)
                let narrow = try Tensor(weight.values(0..<weight.count).map { Float(Float16($0)) })
                let mineNarrow = try fixture.backend.prepare(narrow, outputs: outputs, inputs: inputs, for: .fewRows)
                let otherNarrow = try fixture.reference.prepare(narrow, outputs: outputs, inputs: inputs)
                for (mine, other) in [(mine, other), (mineNarrow, otherNarrow)] {
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: outputs, seed: 4)
                    } _: {
                        ($0 === fixture.backend ? mine : other).multiply(
                            x, bias: bias, activation: .none, accumulate: true, into: $1)
                    }
                    #expect(isEqual, "\(rows) rows, \(outputs) × \(inputs)")
                }
            }
            for (heads, size, rows, positions) in [(1, 5, 1, 1), (2, 17, 3, 33), (3, 32, 5, 64), (2, 31, 8, 70)] {
                let n = heads * size
                let cache = try CrossAttentionCache(heads: heads, positions: positions, headSize: size)
                let keys = try BackendFixture.view(rows: positions, columns: n, seed: 1)
                fixture.reference.fill(cache, keys: keys, values: keys)
                let queries = try BackendFixture.view(rows: rows, columns: n, seed: 2)
                let isEqual = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: n, seed: 3)
                } _: {
                    $0.attention(queries: queries, cross: cache, into: $1)
                }
                #expect(isEqual, "\(rows) rows over \(positions)")
                let history = (0..<Int32(positions)).map { $0 }.reversed() as [Int32]
                let isEqualCached = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: n, seed: 3)
                } _: {
                    let cached = CachedAttention(
                        keys: keys.tensor, values: keys.tensor,
                        histories: [[Int32]](repeating: history, count: rows),
                        counts: (0..<rows).map { max(1, positions - $0) })
                    $0.attention(queries: queries, cache: cached, heads: heads, into: $1)
                }
                #expect(isEqualCached, "\(rows) cached rows over \(positions)")
            }
        }
    }

    @Test("float16 and bfloat16 are widened exactly", arguments: InstructionSets.all)
    func widening(set: String) throws {
        let patterns = (0...UInt16.max).filter { Float16(bitPattern: $0).isFinite }
        let bytes = patterns.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let folder = try TemporaryFolder()
        let file = try ReadOnlyFile(folder.write([0] + bytes))
        for type in [ElementType.f16, .bf16] {
            let tensor = WeightTensor(
                name: "t", shape: [patterns.count], type: type, file: file, bytes: 1..<file.count)
            let values = try InstructionSets.limited(to: set) { try tensor.floats() }
            for (index, pattern) in patterns.enumerated() {
                let exact =
                    type == .f16 ? Float(Float16(bitPattern: pattern)) : Float(bitPattern: UInt32(pattern) << 16)
                if values[index].bitPattern != exact.bitPattern { Issue.record("\(type) \(pattern)") }
            }
        }
    }

    @Test("spectrograms equal the reference's", arguments: InstructionSets.all)
    func spectrogram(set: String) throws {
        let stored = try MelFixture("mel/espeak-fox-window-80")
        let samples = try MelFixture.samples("mel/espeak-fox.wav")
        let values = try InstructionSets.limited(to: set) {
            MelFixture.scaled(samples, bands: 80, frames: 0..<stored.frames)
        }
        #expect(greatestDifference(values, stored.window(stored.frames)) < 1e-4)
    }
}
