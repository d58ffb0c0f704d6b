import CKernels

/// The operations of networks other than matrix products, on the calling thread.
package enum LayerKernels {
    /// `y = leaky(x · scale + shift)` for each row; negative numbers are multiplied by `slope`, 0 for ReLU.
    ///
    /// x and y are `[rows, columns]` and may be the same; scale and shift are at least `[columns]`.
    package static func scaleShift(
        _ x: TensorView, scale: Tensor, shift: Tensor, slope: Float = 1, into y: TensorView
    ) {
        precondition(
            x.rows == y.rows && x.columns == y.columns && scale.count >= x.columns && shift.count >= x.columns,
            "\(x.rows) × \(x.columns) into \(y.rows) × \(y.columns)")
        unsafe ck_scale_shift(
            x.base, x.stride, y.base, y.stride, x.rows, x.columns, scale.base, shift.base, slope)
    }

    /// Multiplies negative numbers of contiguous rows by `slope`, 0 for ReLU.
    package static func leaky(_ x: TensorView, slope: Float = 0) {
        precondition(x.stride == x.columns, "rows of \(x.columns) with stride \(x.stride)")
        unsafe ck_leaky(x.base, x.rows * x.columns, slope)
    }

    /// Applies an activation in place.
    package static func activate(_ x: TensorView, _ activation: Activation) {
        unsafe ck_activate(x.base, x.stride, x.rows, x.columns, activation.code)
    }

    /// The maximum of each three rows. x is contiguous, `[3 · rows, columns]`, y `[rows, columns]`.
    package static func pool(_ x: TensorView, into y: TensorView) { pool(x, scale: 1, shift: nil, into: y) }

    /// The maximum of `|x · scale + shift|` in each three rows; shift is `[columns]`.
    package static func poolMagnitudes(_ x: TensorView, scale: Float, shift: Tensor, into y: TensorView) {
        pool(x, scale: scale, shift: shift, into: y)
    }

    private static func pool(_ x: TensorView, scale: Float, shift: Tensor?, into y: TensorView) {
        precondition(
            x.rows == 3 * y.rows && x.columns == y.columns && x.stride == x.columns && y.stride == y.columns
                && (shift.map { $0.count >= x.columns } ?? true),
            "\(x.rows) × \(x.columns) into \(y.rows) × \(y.columns)")
        unsafe ck_pool3(x.base, x.columns, y.rows, scale, shift?.base, y.base)
    }

    /// The mean of each column, and the sum of the squared differences from it. `mean` and `squares` are at least
    /// `[columns]`.
    package static func moments(_ x: TensorView, mean: Tensor, squares: Tensor) {
        precondition(x.rows > 0 && mean.count >= x.columns && squares.count >= x.columns, "\(x.rows) × \(x.columns)")
        unsafe ck_column_moments(x.base, x.stride, x.rows, x.columns, mean.base, squares.base)
    }

    /// `y = re² + im²` for rows of `[columns]` real parts and as many imaginary parts; both contiguous.
    package static func powers(_ x: TensorView, into y: TensorView) {
        precondition(
            x.rows == y.rows && x.columns == 2 * y.columns && x.stride == x.columns && y.stride == y.columns,
            "\(x.rows) × \(x.columns) into \(y.rows) × \(y.columns)")
        unsafe ck_squared_lengths(x.base, y.columns, x.rows, y.base)
    }

    /// One step of an LSTM for several sequences.
    ///
    /// - Parameters:
    ///   - gates: the sums of input, forget, cell and output gate, `[rows, 4 · hidden]`, contiguous.
    ///   - cell: the cell states, `[rows, hidden]`, contiguous; updated. `hidden` is a multiple of 16.
    ///   - out: the hidden states, `[rows, hidden]`.
    package static func lstmStep(gates: TensorView, cell: TensorView, out: TensorView) {
        precondition(
            gates.rows == cell.rows && out.rows == cell.rows && gates.columns == 4 * cell.columns
                && gates.stride == gates.columns && cell.stride == cell.columns && out.columns == cell.columns
                && cell.columns % 16 == 0,
            "gates \(gates.rows) × \(gates.columns), cells \(cell.rows) × \(cell.columns)")
        unsafe ck_lstm_step(gates.base, cell.rows, cell.columns, cell.base, out.base, out.stride)
    }
}
