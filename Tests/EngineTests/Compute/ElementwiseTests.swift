import Testing

@Suite("Layer norm and addition")
struct ElementwiseTests {
    @Test("layer norm equals plain loops, also in place", arguments: BackendFixture.choices, BackendFixture.threads)
    func layerNorm(choice: ComputeOptions.Backend, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        // A single column has no variance, only rounding errors, which would be scaled up.
        for columns in [2, 7, 15, 16, 17, 31, 64, 65, 100, 384, 1280] {
            let gain = try BackendFixture.tensor(columns, seed: 1), shift = try BackendFixture.tensor(columns, seed: 2)
            for rows in [1, 2, 3, 40, 127, 128, 200] {
                let x = try BackendFixture.view(rows: rows, columns: columns, gap: rows % 4, seed: 3)
                let isEqual = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: columns, gap: 1, offset: 2, seed: 4)
                } _: { backend, y in
                    backend.layerNorm(x, gain: gain, shift: shift, into: y)
                }
                #expect(isEqual, "\(rows) × \(columns)")
                let isEqualInPlace = try fixture.compare {
                    try BackendFixture.view(rows: rows, columns: columns, seed: 5)
                } _: { backend, y in
                    backend.layerNorm(y, gain: gain, shift: shift, into: y)
                }
                #expect(isEqualInPlace, "\(rows) × \(columns) in place")
            }
        }
    }

    @Test("the norm of a constant row is the shift", arguments: BackendFixture.choices)
    func constant(choice: ComputeOptions.Backend) throws {
        let fixture = try BackendFixture(choice, threads: 1)
        for columns in [1, 5, 16, 33, 64] {
            let gain = try BackendFixture.tensor(columns, seed: 1), shift = try BackendFixture.tensor(columns, seed: 2)
            let x = try Tensor([Float](repeating: 0.5, count: columns)).rows(1, columns: columns)
            let y = try Tensor(count: columns).rows(1, columns: columns)
            fixture.backend.layerNorm(x, gain: gain, shift: shift, into: y)
            #expect(y.values == shift.values(0..<columns))
        }
    }

    @Test("sums equal plain loops", arguments: BackendFixture.choices)
    func sums(choice: ComputeOptions.Backend) throws {
        let fixture = try BackendFixture(choice, threads: 2)
        for (rows, columns) in [(1, 1), (3, 5), (7, 16), (40, 33)] {
            let y = try BackendFixture.view(rows: rows, columns: columns, seed: 1)
            let isEqual = try fixture.compare(
                { try BackendFixture.view(rows: rows, columns: columns, seed: 2) }, tolerance: 0
            ) {
                $0.add(y, to: $1)
            }
            #expect(isEqual)
        }
    }
}
