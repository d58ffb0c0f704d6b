/// The rows of a convolution: where its input and its results lie in two tensors.
package struct ConvolutionLayout: Sendable {
    /// Groups of rows, such as frames.
    package var groups: Int
    /// Rows in each group.
    package var rows: Int
    /// An input row consists of this many parts of `partColumns` numbers, `partStride` apart.
    package var parts: Int
    package var partColumns: Int
    package var partStride: Int
    package var input: Places
    package var output: Places

    /// Where the rows of a tensor begin.
    package struct Places: Sendable {
        package var start: Int
        /// From one row to the next, and from one group to the next.
        package var row: Int
        package var group: Int

        package init(start: Int, row: Int, group: Int) {
            self.start = start
            self.row = row
            self.group = group
        }

        func offset(group index: Int) -> Int { start + index * group }
    }

    package init(
        groups: Int, rows: Int, parts: Int, partColumns: Int, partStride: Int, input: Places, output: Places
    ) {
        self.groups = groups
        self.rows = rows
        self.parts = parts
        self.partColumns = partColumns
        self.partStride = partStride
        self.input = input
        self.output = output
    }

    /// The part of the input tensor that contains all rows.
    var inputRange: Range<Int> {
        guard groups > 0, rows > 0 else { return 0..<0 }
        let last = input.offset(group: groups - 1) + (rows - 1) * input.row
        return input.start..<(last + (parts - 1) * partStride + partColumns)
    }

    /// Traps if a row does not lie in the tensors.
    func check(_ x: Tensor, _ y: Tensor, _ weight: any PackedMatrix) {
        precondition(weight.inputs == parts * partColumns, "\(weight.inputs) inputs for \(parts) × \(partColumns)")
        guard groups > 0, rows > 0 else { return }
        let lastOutput = output.offset(group: groups - 1) + (rows - 1) * output.row
        precondition(
            input.start >= 0 && inputRange.upperBound <= x.count && output.start >= 0
                && lastOutput + weight.outputs <= y.count,
            "rows to \(inputRange.upperBound) of \(x.count) and to \(lastOutput) of \(y.count)")
    }
}

extension PackedMatrix {
    package func convolve(_ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, into y: Tensor) {
        gather(x, rows, bias: bias, accumulate: accumulate, into: y)
    }

    /// `convolve` as a product of rows that are copied together.
    func gather(_ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, into y: Tensor) {
        rows.check(x, y, self)
        scratch.with(rows.rows * inputs) { gathered in
            for group in 0..<rows.groups {
                let first = rows.input.offset(group: group)
                for row in 0..<rows.rows {
                    for part in 0..<rows.parts {
                        gathered.copy(
                            x, from: first + row * rows.input.row + part * rows.partStride, count: rows.partColumns,
                            at: row * inputs + part * rows.partColumns)
                    }
                }
                multiply(
                    gathered.rows(rows.rows, columns: inputs), bias: bias, activation: .none, accumulate: accumulate,
                    into: TensorView(
                        y, offset: rows.output.offset(group: group), rows: rows.rows, columns: outputs,
                        stride: rows.output.row))
            }
        }
    }
}
