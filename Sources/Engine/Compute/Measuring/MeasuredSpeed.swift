import CKernels
import EngineBasics

/// The speed of the engine's kernels on one core.
package struct KernelSpeed: Sendable, Hashable {
    /// The formats and instructions of many-row products; see `ComputeBackend.kernels`.
    package let kernels: String
    /// Speed of multiplying 96 rows by 768 × 768 weights, conversion included, in 10⁹ operations per second.
    package let gigaflops: Double
    /// The same for the instructions alone, without memory access.
    package let peakGigaflops: Double
}

extension ComputeType {
    /// Measures the engine's kernels for this type on one core; `nil` if the processor does not support it. The fastest of
    /// several runs counts.
    package func measuredSpeed() throws -> KernelSpeed? {
        guard let kind = TileKind(self), let kernels = TileKernels(kind) else { return nil }
        let n = 768, rows = Int(CK_MAX_ROWS)
        let weight = try PackedTiles(
            TensorRows(try Tensor([Float](repeating: 0.5, count: n * n)), outputs: n, inputs: n), kind: kind,
            arena: WeightArena(), pool: WorkerPool(threads: 1), scratch: ScratchPool())
        let x = try Tensor([Float](repeating: 0.5, count: rows * n)).rows(rows, columns: n)
        let y = try Tensor(count: rows * n).rows(rows, columns: n), scratch = try Tensor(count: weight.scratchCount)
        let gigaflops = fastest {
            weight.multiply(x, bias: nil, activation: .none, accumulate: false, scratch: scratch, into: y)
            return 2 * Double(rows * n * n)
        }
        let peak = fastest { unsafe kernels.functions.pointee.peak(10_000) }
        return KernelSpeed(kernels: kind.summary, gigaflops: gigaflops, peakGigaflops: peak)
    }
}

/// 10⁹ operations per second in the fastest of several runs, each of which returns its number of operations; fewer runs if
/// they take long.
func fastest(in stopwatch: Stopwatch = .elapsed, _ run: () -> Double) -> Double {
    var best = 0.0, total = Duration.zero
    for index in 0..<16 where index < 4 || total < .milliseconds(500) {
        var operations = 0.0
        let time = stopwatch.measure { operations = run() }
        if time > .zero { best = max(best, operations / (time / .nanoseconds(1))) }
        total += time
    }
    return best
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
