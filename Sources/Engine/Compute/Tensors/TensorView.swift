/// Rows of a tensor: row r starts at `offset + r · stride`. Rows may overlap when they are only read, which is how a
/// convolution becomes a matrix product without copying.
package struct TensorView: Sendable {
    package let tensor: Tensor
    package let offset: Int
    package let rows: Int
    package let columns: Int
    package let stride: Int

    package init(_ tensor: Tensor, offset: Int, rows: Int, columns: Int, stride: Int) {
        precondition(
            offset >= 0 && rows >= 0 && columns >= 0 && stride >= 0
                && (rows == 0 || offset + (rows - 1) * stride + columns <= tensor.count),
            "\(rows) × \(columns) at \(offset) with stride \(stride) in \(tensor.count) elements")
        self.tensor = tensor
        self.offset = offset
        self.rows = rows
        self.columns = columns
        self.stride = stride
    }

    var base: UnsafeMutablePointer<Float> { unsafe tensor.base + offset }

    func row(_ index: Int) -> UnsafeMutablePointer<Float> { unsafe base + index * stride }

    /// Some of the rows.
    package func slice(rows range: Range<Int>) -> TensorView {
        TensorView(
            tensor, offset: offset + range.lowerBound * stride, rows: range.count, columns: columns, stride: stride)
    }

    /// Some of the columns.
    package func slice(columns range: Range<Int>) -> TensorView {
        TensorView(tensor, offset: offset + range.lowerBound, rows: rows, columns: range.count, stride: stride)
    }

    /// The rows as one array.
    package var values: [Float] {
        (0..<rows).flatMap { tensor.values((offset + $0 * stride)..<(offset + $0 * stride + columns)) }
    }
}
