import Testing
import WhisperEngine

@Suite("Linear layers of the backends")
struct LinearTests {
    /// Outputs and inputs, most of them no multiple of a vector.
    static let shapes = [(1, 1), (5, 3), (7, 48), (33, 17), (64, 64), (130, 65), (129, 384), (200, 100), (300, 31)]
    static let rows = Array(1...40) + [64, 70, 127, 130, 200]

    private static func check(_ fixture: BackendFixture, rows: Int, outputs: Int, inputs: Int) throws {
        let weight = try BackendFixture.tensor(outputs * inputs, seed: 1)
        let bias = try BackendFixture.tensor(outputs, seed: 2)
        let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs)
        let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs)
        #expect(mine.outputs == outputs && mine.inputs == inputs)
        let gap = rows % 3, x = try BackendFixture.view(rows: rows, columns: inputs, gap: gap, offset: 5, seed: 3)
        let variants: [(Tensor?, Activation, Bool)] = [
            (nil, .none, false), (bias, .none, false), (bias, .gelu, false), (bias, .none, true), (nil, .none, true),
        ]
        for (index, (bias, activation, accumulate)) in variants.enumerated() where (rows + index) % 2 == 0 || rows < 12
        {
            let isEqual = try fixture.compare {
                try BackendFixture.view(rows: rows, columns: outputs, gap: 2 - gap, offset: 3, seed: 4)
            } _: { backend, y in
                backend.linear(
                    x, backend === fixture.backend ? mine : other, bias: bias, activation: activation,
                    accumulate: accumulate, into: y)
            }
            #expect(isEqual, "\(rows) rows, \(outputs) × \(inputs), variant \(index)")
        }
    }

    @Test(
        "equal plain loops and write nothing beside their rows", arguments: BackendFixture.choices,
        BackendFixture.threads)
    func plain(choice: BackendChoice, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for rows in Self.rows {
            for (outputs, inputs) in Self.shapes where rows < 41 || outputs < 130 {
                try Self.check(fixture, rows: rows, outputs: outputs, inputs: inputs)
            }
        }
    }

    @Test(
        "read rows that overlap, as a convolution's do", arguments: BackendFixture.choices, BackendFixture.threads)
    func overlapping(choice: BackendChoice, threads: Int) throws {
        let fixture = try BackendFixture(choice, threads: threads)
        for (bands, stride, outputs) in [(5, 1, 7), (16, 2, 33), (20, 1, 64), (33, 2, 130)] {
            for rows in [1, 2, 7, 8, 9, 31, 100, 161] {
                let inputs = 3 * bands
                let tensor = try BackendFixture.tensor((rows + 3) * stride * bands + inputs, seed: rows)
                let x = TensorView(tensor, offset: bands, rows: rows, columns: inputs, stride: stride * bands)
                let weight = try BackendFixture.tensor(outputs * inputs, seed: 1)
                let bias = try BackendFixture.tensor(outputs, seed: 2)
                let mine = try fixture.backend.prepare(weight, outputs: outputs, inputs: inputs)
                let other = try fixture.reference.prepare(weight, outputs: outputs, inputs: inputs)
                for (activation, accumulate) in [(Activation.gelu, false), (.none, false), (.none, true)] {
                    let isEqual = try fixture.compare {
                        try BackendFixture.view(rows: rows, columns: outputs, seed: 4)
                    } _: { backend, y in
                        backend.linear(
                            x, backend === fixture.backend ? mine : other, bias: bias, activation: activation,
                            accumulate: accumulate, into: y)
                    }
                    #expect(isEqual, "\(rows) rows of \(inputs) every \(stride * bands)")
                }
            }
        }
    }
}
