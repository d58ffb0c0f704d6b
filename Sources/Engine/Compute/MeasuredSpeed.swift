import CKernels

extension ComputeType {
    /// Speed of the engine's own products in this format: 96 rows by 768 × 768 weights on one core, the best of
    /// several, in 10⁹ operations a second; `nil` where the processor lacks the instructions.
    package func measuredGigaflops() throws -> Double? {
        guard let kind = TileKind(self) else { return nil }
        let n = 768, rows = Int(CK_MOST_ROWS)
        let weight = try PackedTiles(
            try Tensor([Float](repeating: 0.5, count: n * n)), outputs: n, inputs: n, kind: kind,
            pool: WorkerPool(threads: 1))
        let x = try Tensor([Float](repeating: 0.5, count: rows * n)).rows(rows, columns: n)
        let y = try Tensor(count: rows * n).rows(rows, columns: n), room = try Tensor(count: weight.room)
        let best = (0..<16).map { _ in
            ContinuousClock().measure {
                weight.multiply(x, bias: nil, activation: .none, accumulate: false, room: room, into: y)
            }
        }.min()
        guard let best, best > .zero else { return 0 }
        return 2 * Double(rows * n * n) / (best / .nanoseconds(1))
    }
}

extension OpenBLASLibrary {
    /// Speed of a product of 768 × 768 float32 matrices on one core, the best of several, in 10⁹ operations a second.
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
