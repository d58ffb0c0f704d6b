package import EngineCompute

/// Test matrices as views into larger tensors, and comparison of a backend with the reference.
package struct BackendFixture {
    /// `auto` uses the engine's many-row kernels if the processor supports them.
    package static let choices: [ComputeOptions.Backend] = [.auto, .openblas]
    package static let threads = [1, 2]

    /// Allows for sums in another order: a few units in the last place per doubling of their length.
    package static let tolerance: Float = 1e-5

    package let backend: any ComputeBackend
    package let reference: any ComputeBackend

    package init(_ choice: ComputeOptions.Backend, threads: Int, type: ComputeType = .float32) throws {
        backend = try ComputeOptions(backend: choice, computeType: type, threads: threads).makeBackend()
        reference = try ComputeOptions(backend: .reference).makeBackend()
    }

    /// Numbers in -1…1.
    package static func values(_ count: Int, seed: Int) -> [Float] {
        PlantedNumbers.units(seed, [count], count: count).map { Float($0 * 2 - 1) }
    }

    package static func tensor(_ count: Int, seed: Int) throws -> Tensor { try Tensor(values(count, seed: seed)) }

    /// A view of rows with `gap` elements between them, starting at element `offset`.
    package static func view(rows: Int, columns: Int, gap: Int = 0, offset: Int = 0, seed: Int) throws -> TensorView {
        let stride = columns + gap
        return TensorView(
            try tensor(offset + rows * stride, seed: seed), offset: offset, rows: rows, columns: columns,
            stride: stride)
    }

    /// All elements of a view's tensor, including those between its rows.
    package static func all(_ view: TensorView) -> [Float] { view.tensor.values(0..<view.tensor.count) }

    /// Runs an operation with both backends on equal inputs and compares everything it may have written.
    package func compare(
        _ out: () throws -> TensorView, tolerance: Float = tolerance,
        _ operation: (any ComputeBackend, TensorView) throws -> Void
    ) throws -> Bool {
        let mine = try out(), other = try out()
        try operation(backend, mine)
        try operation(reference, other)
        return NetworkFixture.error(Self.all(mine), Self.all(other)) <= tolerance
    }
}
