/// A library that multiplies float32 matrices on the calling thread.
protocol MatrixProduct: Sendable {
    var name: String { get }

    /// `c = a · b` or `c += a · b`; a is `[m, k]`, b is `[k, n]`, or `[n, k]` when `transposedB`; all row-major with
    /// the strides given, in floats.
    func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int)
}
