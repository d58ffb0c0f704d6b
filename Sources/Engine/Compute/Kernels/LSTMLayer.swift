/// A layer of an LSTM whose gates are stacked as in PyTorch: input, forget, cell, output.
package struct LSTMLayer: Sendable {
    private let input: any PackedMatrix
    private let recurrent: any PackedMatrix
    private let bias: Tensor
    /// The number of hidden units, a multiple of 16.
    package let hidden: Int

    /// - Parameters:
    ///   - input: `[4 · hidden, inputs]`.
    ///   - recurrent: `[4 · hidden, hidden]`.
    ///   - biases: of `[4 · hidden]`, which are added.
    package init(input: any PackedMatrix, recurrent: any PackedMatrix, biases: [Tensor]) throws(ComputeError) {
        hidden = recurrent.inputs
        precondition(
            hidden % 16 == 0 && input.outputs == 4 * hidden && recurrent.outputs == 4 * hidden
                && biases.allSatisfy { $0.count == 4 * recurrent.inputs }, "\(hidden) hidden units")
        self.input = input
        self.recurrent = recurrent
        bias = try Tensor(count: 4 * hidden)
        for one in biases { bias.add(one, from: 0, count: 4 * hidden, at: 0) }
    }

    /// Memory for intermediate results.
    package var scratch: ScratchPool { input.scratch }

    /// The part of the gates, `[rows, 4 · hidden]`, that the input determines.
    package func project(_ x: TensorView, into gates: TensorView) {
        input.multiply(x, bias: bias, activation: .none, accumulate: false, into: gates)
    }

    /// One step of several sequences, a row each.
    ///
    /// - Parameters:
    ///   - gates: what the input determines; changed.
    ///   - last: the hidden states of the step before; `nil` if there is none.
    ///   - cell: the cell states; updated.
    ///   - out: the new hidden states.
    package func step(
        gates: TensorView, last: TensorView?, cell: TensorView, out: TensorView
    ) {
        if let last { recurrent.multiply(last, bias: nil, activation: .none, accumulate: true, into: gates) }
        LayerKernels.lstmStep(gates: gates, cell: cell, out: out)
    }
}
