import CKernels

/// A float32 matrix product on the calling thread by the engine's kernels, for operands that are not weights. b is packed
/// panel by panel, which pays from a few rows of a on.
package struct TileProduct: MatrixProduct {
    package let name = "kernels"
    private let kernels: TileKernels
    private let scratch = ScratchPool()

    /// `nil` if the instruction set in use has no kernels.
    package init?() {
        guard let kernels = TileKernels(.float32) else { return nil }
        self.kernels = kernels
    }

    package func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int
    ) {
        let panel = kernels.panel
        scratch.with(panel * k) { words in
            for first in stride(from: 0, to: n, by: panel) {
                let count = min(panel, n - first)
                if transposedB {
                    unsafe kernels.functions.pointee.pack(
                        b + first * bStride, bStride, count, k, 1, 0, 1, words.base, nil, nil)
                } else {
                    if count < panel { words.fill(0..<(panel * k), with: 0) }
                    for i in 0..<k {
                        unsafe (words.base + i * panel).update(from: b + i * bStride + first, count: count)
                    }
                }
                let tiles = unsafe ck_tiles(
                    words: words.base, scales: nil, sums: nil, outputs: count, inputs: k, groups: 1, limit: 0)
                for row in stride(from: 0, to: m, by: Int(CK_MAX_ROWS)) {
                    unsafe withUnsafePointer(to: tiles) { tiles in
                        unsafe kernels.functions.pointee.multiply(
                            tiles, a + row * aStride, aStride, min(Int(CK_MAX_ROWS), m - row), nil, CK_IDENTITY,
                            accumulate ? 1 : 0, words.base, c + row * cStride + first, cStride)
                    }
                }
            }
        }
    }
}
