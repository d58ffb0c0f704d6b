import EngineCompute

/// A bidirectional LSTM layer over sequences of equal length.
///
/// Sequences are interleaved: row t · batch + i is step t of sequence i. So the input products of many steps, and the
/// recurrent products of all sequences, are matrix products.
struct BidirectionalLSTM: Sendable {
    static let hidden = 128
    static let outputs = 2 * hidden

    private let directions: [LSTMLayer]

    /// Steps whose input products are computed together; their gates fit in a core's cache.
    private static let stepsAtOnce = 32

    /// - Parameters:
    ///   - weights: named as in PyTorch, `lstm.weight_ih_l0` and so on.
    ///   - layer: counts from 0.
    init(_ weights: NetworkWeights, layer: Int, inputs: Int) throws {
        let gates = 4 * Self.hidden
        directions = try ["", "_reverse"].map { side in
            try LSTMLayer(
                input: weights.linear("lstm.weight_ih_l\(layer)\(side)", [gates, inputs], outputs: gates).weight,
                recurrent: weights.linear(
                    "lstm.weight_hh_l\(layer)\(side)", [gates, Self.hidden], outputs: gates
                ).weight,
                biases: [
                    weights.numbers("lstm.bias_ih_l\(layer)\(side)", [gates]),
                    weights.numbers("lstm.bias_hh_l\(layer)\(side)", [gates]),
                ])
        }
    }

    /// - Parameters:
    ///   - x: `[steps · batch, inputs]`.
    ///   - y: `[steps · batch, 256]`, forward before backward; must not overlap x.
    func apply(_ x: TensorView, batch: Int, into y: TensorView) {
        let hidden = Self.hidden, steps = x.rows / batch, block = Self.stepsAtOnce * batch
        precondition(steps * batch == x.rows && y.rows == x.rows && y.columns == Self.outputs)
        directions[0].scratch.with(block * 4 * hidden + batch * hidden) { scratch in
            let cell = scratch.rows(batch, columns: hidden, from: block * 4 * hidden)
            for (index, direction) in directions.enumerated() {
                let isReverse = index == 1
                let out = y.slice(columns: (index * hidden)..<((index + 1) * hidden))
                scratch.fill(cell.offset..<(cell.offset + batch * hidden), with: 0)
                for first in stride(from: 0, to: steps, by: Self.stepsAtOnce) {
                    let count = min(Self.stepsAtOnce, steps - first)
                    let start = isReverse ? steps - first - count : first
                    let gates = scratch.rows(count * batch, columns: 4 * hidden)
                    direction.project(x.slice(rows: (start * batch)..<((start + count) * batch)), into: gates)
                    for offset in 0..<count {
                        let step = isReverse ? start + count - 1 - offset : start + offset
                        let sums = gates.slice(rows: ((step - start) * batch)..<((step - start + 1) * batch))
                        let previous = isReverse ? step + 1 : step - 1
                        let last =
                            previous >= 0 && previous < steps
                            ? out.slice(rows: (previous * batch)..<((previous + 1) * batch)) : nil
                        direction.step(
                            gates: sums, last: last, cell: cell,
                            out: out.slice(rows: (step * batch)..<((step + 1) * batch)))
                    }
                }
            }
        }
    }
}
