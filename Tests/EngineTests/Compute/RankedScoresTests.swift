import Testing

/// Compares the top scores of a table approximated in 8 bits with those of the full product.
@Suite("Table scores")
struct RankedScoresTests {
    static let types: [ComputeType] = [.bfloat16, .int16, .int8]

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var outputs = 3001
        var inputs = 64
        /// Makes a row from its index and random numbers.
        let row: @Sendable (Int, [Float]) -> [Float]
    }

    static let cases = [
        Case(testDescription: "random") { _, row in row },
        Case(testDescription: "one input", outputs: 700, inputs: 1) { _, row in row },
        Case(testDescription: "odd sizes", outputs: 1001, inputs: 37) { _, row in row },
        Case(testDescription: "rows that differ by less than a step") { index, _ in
            (0..<64).map { Float($0 % 7) - 3 + ($0 == index % 64 ? Float(index % 97) * 1e-3 : 0) }
        },
        Case(testDescription: "more equal rows than are recomputed", outputs: 5000) { _, _ in
            (0..<64).map { Float($0 % 5) - 2 }
        },
        Case(testDescription: "one outlier per row") { index, row in
            row.enumerated().map { $0.offset == index % 64 ? $0.element * 300 : $0.element }
        },
        Case(testDescription: "all values at half steps") { index, _ in
            (0..<64).map { $0 == 0 ? 127 : Float(($0 * 31 + index * 17) % 120) + 0.5 }
        },
        Case(testDescription: "mostly rows of zeros") { index, row in index % 500 == 3 ? row : row.map { _ in 0 } },
        Case(testDescription: "rows with much in common, and some without") { index, row in
            row.enumerated().map { $0.element + (index % 9 > 0 ? Float(index % 5 + 1) * largeInput($0.offset) : 0) }
        },
        Case(testDescription: "rows of very different norms") { index, row in
            row.map { $0 * (index % 3 == 0 ? 1000 : index % 3 == 1 ? 1 : 1e-3) }
        },
    ]

    @Test("the top scores are bit-identical to those of the full product", arguments: types, cases)
    func best(type: ComputeType, test: Case) throws {
        let n = test.outputs, k = test.inputs
        let weight = try Tensor(
            (0..<n).flatMap { index in
                test.row(index, BackendFixture.values(k, seed: index)).map { Float(Float16($0)) }
            })
        let backend = try BackendFixture(.openblas, threads: 2, type: type).backend
        let table = try backend.prepare(weight, outputs: n, inputs: k, for: .table)
        let never = Array(stride(from: 3, to: n, by: 11)), exactFrom = n - 101
        let ranked = (0..<exactFrom).filter { !never.contains($0) }
        let preferred = ranked.filter { $0 % 5 == 0 }.map { ScoreNeeds.Preferred(column: $0, bonus: Float($0 % 4)) }
        let biases = try Tensor(BackendFixture.values(n, seed: n))
        for rows in [1, 2, 5, 9] {
            let bias = rows % 2 == 0 ? biases : nil
            let x = try BackendFixture.view(rows: rows, columns: k, gap: 3, seed: rows)
            let whole = try Tensor(count: rows * n).rows(rows, columns: n)
            // Row by row, because libraries sum in another order for many rows.
            for row in 0..<rows {
                table.multiply(
                    x.slice(rows: row..<(row + 1)), bias: bias, activation: .none, accumulate: false,
                    into: whole.slice(rows: row..<(row + 1)))
            }
            for best in [1, 2, 6, 40] {
                let found = try Tensor(count: rows * n).rows(rows, columns: n)
                var needs = ScoreNeeds(best: best, never: never, exactFrom: exactFrom)
                needs.preferred = preferred
                table.scores(x, bias: bias, needs: needs, into: found)
                for row in 0..<rows {
                    let expected = whole.slice(rows: row..<(row + 1)).values
                    let scores = found.slice(rows: row..<(row + 1)).values
                    #expect(Array(scores[exactFrom...]) == Array(expected[exactFrom...]))
                    let expectedTop = Self.greatest(best, expected, ranked), top = Self.greatest(best, scores, ranked)
                    #expect(top == expectedTop, "\(rows) rows, \(best) best")
                    #expect(top.map { scores[$0] } == expectedTop.map { expected[$0] })
                    let last = expectedTop.last.map { expected[$0] } ?? -.infinity
                    let wrong = preferred.filter {
                        scores[$0.column] != expected[$0.column]
                            && max(scores[$0.column], expected[$0.column]) + $0.bonus > last
                    }
                    #expect(wrong == [])
                    let error = greatestMagnitude(zip(scores, expected).filter { !$0.0.isInfinite }.map { $0 - $1 })
                    #expect(error <= 0.02 * Float(k).squareRoot() * greatestMagnitude(expected))
                }
            }
        }
    }

    @Test("what rows have in common does not make the scan less accurate", arguments: types)
    func approximation(type: ComputeType) throws {
        let n = 3000, k = 64
        let values = (0..<n).flatMap { index in
            BackendFixture.values(k, seed: index).enumerated().map {
                Float(Float16($0.element + Float(index % 3 + 1) * largeInput($0.offset)))
            }
        }
        let backend = try BackendFixture(.openblas, threads: 1, type: type).backend
        let table = try backend.prepare(Tensor(values), outputs: n, inputs: k, for: .table)
        let x = try BackendFixture.view(rows: 1, columns: k, seed: 1)
        let whole = try Tensor(count: n).rows(1, columns: n), found = try Tensor(count: n).rows(1, columns: n)
        table.multiply(x, bias: nil, activation: .none, accumulate: false, into: whole)
        table.scores(x, bias: nil, needs: ScoreNeeds(best: 1, never: [], exactFrom: n), into: found)
        let error = greatestMagnitude(zip(found.values, whole.values).map { $0 - $1 })
        // With one scale for the large and the small inputs, it is about 2.
        #expect(error < 0.06)
    }

    private static func greatest(_ count: Int, _ values: [Float], _ indices: [Int]) -> [Int] {
        Array(indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }.prefix(count))
    }

    @Test("all scores are exact without needs, and always in float32", arguments: [ComputeType.float32, .int8])
    func whole(type: ComputeType) throws {
        let weight = try Tensor(BackendFixture.values(500 * 33, seed: 1).map { Float(Float16($0)) })
        let backend = try BackendFixture(.openblas, threads: 1, type: type).backend
        let plain = try BackendFixture(.openblas, threads: 1).backend
        let x = try BackendFixture.view(rows: 3, columns: 33, seed: 2)
        let expected = try Tensor(count: 1500).rows(3, columns: 500)
        let whole = try plain.prepare(weight, outputs: 500, inputs: 33, for: .fewRows)
        whole.multiply(x, bias: nil, activation: .none, accumulate: false, into: expected)
        let found = try Tensor(count: 1500).rows(3, columns: 500)
        let needs = type == .float32 ? ScoreNeeds(best: 1, never: [], exactFrom: 490) : nil
        let table = try backend.prepare(weight, outputs: 500, inputs: 33, for: .table)
        table.scores(x, bias: nil, needs: needs, into: found)
        #expect(found.values == expected.values)
    }

    @Test("NaN and infinity in the input do not trap", arguments: types)
    func notFinite(type: ComputeType) throws {
        let backend = try BackendFixture(.openblas, threads: 1, type: type).backend
        let table = try backend.prepare(
            Tensor(BackendFixture.values(200 * 8, seed: 1)), outputs: 200, inputs: 8, for: .table)
        for bad in [Float.nan, .infinity, -.infinity] {
            let y = try Tensor(count: 200).rows(1, columns: 200)
            table.scores(
                try Tensor([1, 2, bad, 4, 5, 6, 7, 8]).rows(1, columns: 8),
                bias: nil, needs: ScoreNeeds(best: 3, never: [], exactFrom: 150), into: y)
            #expect(y.values.allSatisfy { !$0.isFinite })
        }
    }

    @Test("rows of a table are looked up in float16 if they fit, otherwise in float32", arguments: types)
    func lookup(type: ComputeType) throws {
        let backend = try BackendFixture(.openblas, threads: 1, type: type).backend
        let values = BackendFixture.values(7 * 33, seed: 1)
        let table = try backend.prepare(Tensor(values), outputs: 7, inputs: 33, for: .table)
        let out = try Tensor(count: 40)
        for row in 0..<7 {
            table.copyRow(row, to: out, at: 4)
            #expect(out.values(4..<37) == values[(row * 33)..<(row * 33 + 33)].map { Float(Float16($0)) })
        }
        let large = try backend.prepare(Tensor([1, 70_000]), outputs: 2, inputs: 1, for: .table)
        large.copyRow(1, to: out, at: 0)
        #expect(out[0] == 70_000)
    }
}

/// What rows have in common: two inputs that are large.
private func largeInput(_ index: Int) -> Float { index == 5 ? 20 : index == 40 ? -9 : 0 }
