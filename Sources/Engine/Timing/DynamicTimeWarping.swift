/// The cheapest monotone path through a cost matrix, from the first row and column to the last ones.
///
/// Costs add up in double precision. Where two ways cost the same the path prefers to go along the row, as
/// openai-whisper's `dtw_cpu` does, so that paths come out equal.
package enum DynamicTimeWarping {
    /// Rows and columns of the points of a path, both non-decreasing and of the same length.
    package struct Path: Hashable, Sendable {
        package var rows: [Int] = []
        package var columns: [Int] = []
    }

    private static let diagonal: UInt8 = 0
    private static let nextRow: UInt8 = 1
    private static let nextColumn: UInt8 = 2

    /// - Parameters:
    ///   - costs: row-major; the count is a multiple of `columns`.
    ///   - rows: 0 gives an empty path.
    ///   - columns: 0 gives one point per row, at column -1.
    package static func path(costs: [Float], rows: Int, columns: Int) -> Path {
        precondition(costs.count == rows * columns, "\(costs.count) costs are not \(rows) × \(columns)")
        return trace(back: steps(costs: costs, rows: rows, columns: columns), rows: rows, columns: columns)
    }

    /// How each cell is best reached, row by row.
    private static func steps(costs: [Float], rows: Int, columns: Int) -> [UInt8] {
        var steps = [UInt8](repeating: diagonal, count: rows * columns)
        // Sums of the row above; place 0 lies left of the first column.
        var sums = [Double](repeating: .infinity, count: columns + 1)
        sums[0] = 0
        for row in 0..<rows {
            let first = row * columns
            var above = sums[0]
            var left = Double.infinity
            sums[0] = left
            for column in 0..<columns {
                let corner = above
                above = sums[column + 1]
                let step: UInt8
                let before: Double
                if corner < above && corner < left {
                    (step, before) = (diagonal, corner)
                } else if above < corner && above < left {
                    (step, before) = (nextRow, above)
                } else {
                    (step, before) = (nextColumn, left)
                }
                left = Double(costs[first + column]) + before
                steps[first + column] = step
                sums[column + 1] = left
            }
        }
        return steps
    }

    private static func trace(back steps: [UInt8], rows: Int, columns: Int) -> Path {
        var path = Path()
        var row = rows
        var column = columns
        while row > 0 || column > 0 {
            path.rows.append(row - 1)
            path.columns.append(column - 1)
            // Outside the matrix the only way leads along its edge.
            let step = row == 0 ? nextColumn : column == 0 ? nextRow : steps[(row - 1) * columns + column - 1]
            if step != nextColumn { row -= 1 }
            if step != nextRow { column -= 1 }
        }
        path.rows.reverse()
        path.columns.reverse()
        return path
    }
}
