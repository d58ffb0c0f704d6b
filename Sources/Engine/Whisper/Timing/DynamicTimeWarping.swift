/// The cheapest monotonic path through a cost matrix, from the first row and column to the last.
///
/// Costs are summed in double precision. On ties the path continues along the row, like openai-whisper's `dtw_cpu`, so
/// that both find the same path.
package enum DynamicTimeWarping {
    /// Rows and columns of the points on a path; both are non-decreasing and of the same length.
    package struct Path: Hashable, Sendable {
        package var rows: [Int] = []
        package var columns: [Int] = []
    }

    private static let diagonal: UInt8 = 0
    private static let nextRow: UInt8 = 1
    private static let nextColumn: UInt8 = 2

    /// - Parameters:
    ///   - costs: row-major; the count is a multiple of `columns`.
    ///   - rows: 0 yields an empty path.
    ///   - columns: 0 yields one point per row, at column -1.
    package static func path(costs: [Float], rows: Int, columns: Int) -> Path {
        precondition(costs.count == rows * columns, "\(costs.count) costs are not \(rows) × \(columns)")
        return trace(back: steps(costs: costs, rows: rows, columns: columns), rows: rows, columns: columns)
    }

    /// The cheapest step into each cell, in row-major order.
    private static func steps(costs: [Float], rows: Int, columns: Int) -> [UInt8] {
        var steps = [UInt8](repeating: diagonal, count: rows * columns)
        // Sums of the row above; index 0 lies to the left of the first column.
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
            // Outside the matrix the path can only follow its edge.
            let step = row == 0 ? nextColumn : column == 0 ? nextRow : steps[(row - 1) * columns + column - 1]
            if step != nextColumn { row -= 1 }
            if step != nextRow { column -= 1 }
        }
        path.rows.reverse()
        path.columns.reverse()
        return path
    }
}
