import CKernels

/// Matrix products on the calling thread, for networks too small to benefit from several.
package enum SmallProduct {
    /// `y = x · wᵀ + bias`. The result of a row does not depend on the other rows.
    ///
    /// - Parameters:
    ///   - x: `[rows, inputs]`.
    ///   - weights: `[outputs, inputs]`.
    ///   - bias: `[outputs]`.
    ///   - y: `[rows, outputs]`.
    package static func multiply(_ x: TensorView, _ weights: Tensor, bias: Tensor?, into y: TensorView) {
        precondition(
            x.rows == y.rows && weights.count == y.columns * x.columns && (bias.map { $0.count == y.columns } ?? true),
            "\(x.rows) × \(x.columns) by \(weights.count) weights into \(y.rows) × \(y.columns)")
        unsafe ck_few_rows(
            x.base, x.stride, x.rows, weights.base, x.columns, x.columns, bias?.base, y.base, y.stride, 0, y.columns, 0)
    }
}
