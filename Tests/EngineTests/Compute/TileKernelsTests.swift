import Testing

/// Compares the float32 kernels of each instruction set with plain loops.
@Suite("float32 kernels of each instruction set")
struct TileKernelsTests {
    /// The instruction sets of this processor with kernels of their own.
    static let sets = InstructionSets.all.filter { ["baseline", "avx2", "avx512"].contains($0) }

    private static func with(_ set: String, threads: Int, _ body: (BackendFixture) throws -> Void) throws {
        _ = try Processor.with(instructionSet: set) {
            let fixture = try BackendFixture(.auto, threads: threads)
            #expect(fixture.backend.kernels.hasPrefix("float32 ("))
            try body(fixture)
        }
    }

    @Test("linear layers equal plain loops", arguments: sets, BackendFixture.threads)
    func linear(set: String, threads: Int) throws {
        try Self.with(set, threads: threads) { fixture in
            for rows in [1, 2, 5, 6, 7, 12, 13, 47, 95, 96, 97, 200] {
                for (outputs, inputs) in LinearTests.shapes where rows < 48 || outputs < 130 {
                    try LinearTests.check(fixture, rows: rows, outputs: outputs, inputs: inputs)
                }
            }
        }
    }

    @Test("the layers of all models from tiny to large-v3 equal plain loops", arguments: sets)
    func layers(set: String) throws {
        try Self.with(set, threads: 2) { fixture in
            for (outputs, inputs) in PackedTilesTests.layers {
                try LinearTests.check(fixture, rows: 7, outputs: outputs, inputs: inputs)
            }
        }
    }

    @Test("attention equals plain loops", arguments: sets, BackendFixture.threads)
    func attention(set: String, threads: Int) throws {
        try Self.with(set, threads: threads) {
            try AttentionTests.check($0)
            try AttentionTests.checkStored($0)
        }
    }
}
