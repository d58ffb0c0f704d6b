import Testing

@Suite("Dynamic time warping")
struct DynamicTimeWarpingTests {
    struct File: Decodable {
        let cases: [Case]
    }

    struct Case: Decodable, CustomTestStringConvertible {
        let seed: Int
        let rows: Int
        let cols: Int
        let flavour: String
        let pathRows: [Int]
        let pathCols: [Int]

        enum CodingKeys: String, CodingKey {
            case seed, rows, cols, flavour
            case pathRows = "path_rows"
            case pathCols = "path_cols"
        }

        var testDescription: String { "\(rows) × \(cols) \(flavour)" }

        var costs: [Float] {
            (0..<rows).flatMap { row in
                let ridge = min(cols - 1, Int((Double(row) + 0.5) * Double(cols) / Double(rows)))
                return PlantedNumbers.units(seed, [row], count: cols).enumerated().map { column, unit -> Float in
                    let value = Float(unit)
                    return switch flavour {
                    case "negative": -value
                    case "ties": (value * 3).rounded(.down)
                    case "zero": 0
                    case "ridge": column == ridge ? value - 2 : value
                    default: value
                    }
                }
            }
        }
    }

    struct ModelCase: Decodable {
        let pathText: [Int]
        let pathTime: [Int]

        enum CodingKeys: String, CodingKey {
            case pathText = "path_text"
            case pathTime = "path_time"
        }
    }

    struct ModelFile: Decodable {
        let cases: [ModelCase]
    }

    @Test("the path equals the reference's", arguments: try Fixtures.json("timing/dtw.json", as: File.self).cases)
    func golden(_ example: Case) {
        let path = DynamicTimeWarping.path(costs: example.costs, rows: example.rows, columns: example.cols)
        #expect(path.rows == example.pathRows)
        #expect(path.columns == example.pathCols)
    }

    @Test("the path through a model's attention equals the reference's", arguments: ["micro.en", "micro-v3"], 0..<3)
    func models(name: String, index: Int) throws {
        let expected = try Fixtures.json("timing/\(name)/alignment.json", as: ModelFile.self).cases[index]
        let costs = try Fixtures.floats("timing/\(name)/alignment-\(index)-cost.f32")
        let rows = try #require(expected.pathText.last) + 1
        let path = DynamicTimeWarping.path(costs: costs, rows: rows, columns: costs.count / rows)
        #expect(path.rows == expected.pathText)
        #expect(path.columns == expected.pathTime)
    }

    @Test("matrices without rows or columns have a path")
    func empty() {
        #expect(DynamicTimeWarping.path(costs: [], rows: 0, columns: 0).rows.isEmpty)
        #expect(DynamicTimeWarping.path(costs: [], rows: 2, columns: 0).rows == [0, 1])
        #expect(DynamicTimeWarping.path(costs: [], rows: 2, columns: 0).columns == [-1, -1])
        #expect(DynamicTimeWarping.path(costs: [], rows: 0, columns: 2).columns == [0, 1])
    }

    @Test("costs that are not finite do not trap", arguments: [Float.nan, .infinity, -.infinity])
    func notNumbers(cost: Float) {
        let path = DynamicTimeWarping.path(costs: Array(repeating: cost, count: 12), rows: 3, columns: 4)
        #expect(path.rows.last == 2)
        #expect(path.columns.last == 3)
    }
}
