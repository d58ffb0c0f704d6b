import Glibc

/// Plain loops that follow the formulas: slow, and the reference for testing the other backends.
final class ReferenceBackend: ComputeBackend {
    let name = "reference"
    let threads = 1
    let computeType = ComputeType.float32

    private struct PlainMatrix: PackedMatrix {
        let weights: [Float]
        let outputs: Int
        let inputs: Int
        let scratch = ScratchPool()

        func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) {
            tensor.write(Array(weights[(index * inputs)..<((index + 1) * inputs)]), at: offset)
        }

        func multiply(
            _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView
        ) {
            for row in 0..<x.rows {
                let input = x.slice(rows: row..<(row + 1)).values
                for output in 0..<outputs {
                    var sum: Float = 0
                    for i in 0..<inputs { sum += input[i] * weights[output * inputs + i] }
                    sum += bias?[output] ?? 0
                    sum = activation.apply(to: sum)
                    let at = y.offset + row * y.stride + output
                    y.tensor[at] = accumulate ? y.tensor[at] + sum : sum
                }
            }
        }
    }

    func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        let weights = try rows.floats(by: self)
        return PlainMatrix(weights: weights.values(0..<weights.count), outputs: rows.outputs, inputs: rows.inputs)
    }

    package func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView) {
        for row in 0..<x.rows {
            let values = x.slice(rows: row..<(row + 1)).values
            let mean = values.reduce(0, +) / Float(x.columns)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(x.columns)
            let scale = 1 / (variance + 1e-5).squareRoot()
            y.tensor.write(
                values.indices.map { (values[$0] - mean) * scale * gain[$0] + shift[$0] },
                at: y.offset + row * y.stride)
        }
    }

    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, then rest: (any PackedHeads)?,
        into out: TensorView
    ) {
        precondition(rest == nil || rest is PlainHeads, "heads of another backend")
        let more = rest as? PlainHeads
        let keyRows = rows(of: keys) + (more.map { rows(of: $0.keys).dropFirst(keys.rows) } ?? [])
        let valueRows = rows(of: values) + (more.map { rows(of: $0.values).dropFirst(keys.rows) } ?? [])
        for (row, query) in rows(of: queries).enumerated() {
            out.tensor.write(attend(query, keyRows, valueRows, heads: heads), at: out.offset + row * out.stride)
        }
    }

    func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView) {
        let n = queries.columns
        func row(_ tensor: Tensor, _ slot: Int32) -> [Float] { tensor.values((Int(slot) * n)..<(Int(slot) * n + n)) }
        for (index, query) in rows(of: queries).enumerated() {
            let history = cache.histories[index].prefix(cache.counts[index])
            let keys = history.map { row(cache.keys, $0) }, values = history.map { row(cache.values, $0) }
            out.tensor.write(attend(query, keys, values, heads: heads), at: out.offset + index * out.stride)
        }
    }

    func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView) {
        let (keys, values) = rows(of: cross, headSize: queries.columns / cross.heads)
        for (row, query) in rows(of: queries).enumerated() {
            out.tensor.write(attend(query, keys, values, heads: cross.heads), at: out.offset + row * out.stride)
        }
    }

    package func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float] {
        let size = queries.columns / cross.heads
        let (keys, _) = rows(of: cross, headSize: size)
        let part = (head * size)..<((head + 1) * size)
        return rows(of: queries).flatMap { query in
            keys.prefix(columns).map { key in dot(query[part], key[part]) / Float(size).squareRoot() }
        }
    }

    func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView, from start: Int) {
        let size = keys.columns / cache.heads
        for (row, (key, value)) in zip(rows(of: keys), rows(of: values)).enumerated() {
            let position = start + row
            for head in 0..<cache.heads {
                for i in 0..<size {
                    cache.keys[(head * size + i) * cache.paddedPositions + position] = key[head * size + i]
                    cache.values[(head * cache.positions + position) * size + i] = value[head * size + i]
                }
            }
        }
    }

    func add(_ y: TensorView, to x: TensorView) {
        let sums = zip(x.values, y.values).map { $0 + $1 }
        x.tensor.write(sums, at: x.offset)
    }

    func rows(of view: TensorView) -> [[Float]] {
        (0..<view.rows).map { view.slice(rows: $0..<($0 + 1)).values }
    }

    private func rows(of cross: CrossAttentionCache, headSize: Int) -> (keys: [[Float]], values: [[Float]]) {
        let n = cross.heads * headSize
        let keys = cross.keys.values(0..<cross.keys.count), values = cross.values.values(0..<cross.values.count)
        return (
            (0..<cross.positions).map { position in (0..<n).map { keys[$0 * cross.paddedPositions + position] } },
            (0..<cross.positions).map { position in
                (0..<n).map { values[($0 / headSize * cross.positions + position) * headSize + $0 % headSize] }
            }
        )
    }

    func dot(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Float {
        zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private func attend(_ query: [Float], _ keys: [[Float]], _ values: [[Float]], heads: Int) -> [Float] {
        attend(values, columns: query.count, heads: heads) { part, key in dot(query[part], keys[key][part]) }
    }

    /// - Parameter product: the score of a key, before its division by √d, for the columns of a head.
    func attend(
        _ values: [[Float]], columns: Int, heads: Int, product: (Range<Int>, _ key: Int) -> Float
    ) -> [Float] {
        let size = columns / heads
        var result = [Float](repeating: 0, count: columns)
        for head in 0..<heads {
            let part = (head * size)..<((head + 1) * size)
            let scores = values.indices.map { product(part, $0) / Float(size).squareRoot() }
            let greatest = scores.max() ?? 0
            let weights = scores.map { expf($0 - greatest) }
            let total = weights.reduce(0, +)
            for (weight, value) in zip(weights, values) {
                for i in part { result[i] += weight / total * value[i] }
            }
        }
        return result
    }
}

extension Activation {
    func apply(to x: Float) -> Float {
        switch self {
        case .none: x
        case .gelu: 0.5 * x * (1 + erff(x / Float(2).squareRoot()))
        case .silu: x / (1 + expf(-x))
        case .relu: max(x, 0)
        }
    }
}
