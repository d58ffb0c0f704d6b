import CKernels

/// The engine's kernel for few rows as a product of any number of rows, where no library is installed. The engine's
/// many-row kernels do most of the work without it: what is left are prompts, which see the whole window, and the times of
/// words.
package struct KernelProduct: MatrixProduct {
    package let name = "own kernels"

    package init() {}

    package func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        guard !transposedB else {
            return unsafe multiply(
                m: m, n: n, k: k, a: a, aStride: aStride, rows: b, rowStride: bStride, accumulate: accumulate, c: c,
                cStride: cStride)
        }
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: max(1, n * k)) { rows in
            for row in 0..<k {
                for column in 0..<n { unsafe rows[column * k + row] = b[row * bStride + column] }
            }
            guard let start = rows.baseAddress else { return }
            unsafe multiply(
                m: m, n: n, k: k, a: a, aStride: aStride, rows: start, rowStride: k, accumulate: accumulate, c: c,
                cStride: cStride)
        }
    }

    /// `c = a · rowsᵀ`, a few rows of a at a time.
    private func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, rows: UnsafePointer<Float>, rowStride: Int,
        accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        for first in stride(from: 0, to: m, by: KernelBackend.fewRows) {
            unsafe ck_few_rows(
                a + first * aStride, aStride, min(KernelBackend.fewRows, m - first), rows, rowStride, k, nil,
                c + first * cStride, cStride, 0, n, accumulate ? 1 : 0)
        }
    }
}
