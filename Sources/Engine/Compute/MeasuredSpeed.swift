import CKernels

extension ComputeType {
    /// Measures the engine's kernels in this format, 96 rows times 768 × 768 weights on one core, and returns the best
    /// of several runs in gigaflops; `nil` if the processor does not support the format.
    package func measuredGigaflops() throws -> Double? {
        guard let kind = TileKind(self) else { return nil }
        let n = 768, rows = Int(CK_MAX_ROWS)
        let weight = try PackedTiles(
            try Tensor([Float](repeating: 0.5, count: n * n)), outputs: n, inputs: n, kind: kind,
            pool: WorkerPool(threads: 1))
        let x = try Tensor([Float](repeating: 0.5, count: rows * n)).rows(rows, columns: n)
        let y = try Tensor(count: rows * n).rows(rows, columns: n), scratch = try Tensor(count: weight.scratchCount)
        let best = (0..<16).map { _ in
            ContinuousClock().measure {
                weight.multiply(x, bias: nil, activation: .none, accumulate: false, scratch: scratch, into: y)
            }
        }.min()
        guard let best, best > .zero else { return 0 }
        return 2 * Double(rows * n * n) / (best / .nanoseconds(1))
    }
}

extension OpenBLASLibrary {
    /// Measures the product of 768 × 768 float32 matrices on one core and returns the best of several runs in
    /// gigaflops.
    package func measuredGigaflops() throws -> Double {
        let n = 768
        let product = try OpenBLASProduct()
        let a = try Tensor([Float](repeating: 0.5, count: n * n)), c = try Tensor(count: n * n)
        let best = (0..<8).map { _ in
            ContinuousClock().measure {
                unsafe product.multiply(
                    m: n, n: n, k: n, a: a.base, aStride: n, b: a.base, bStride: n, transposedB: true,
                    accumulate: false, c: c.base, cStride: n)
            }
        }.min()
        guard let best, best > .zero else { return 0 }
        return 2 * Double(n * n * n) / (best / .nanoseconds(1))
    }
}
