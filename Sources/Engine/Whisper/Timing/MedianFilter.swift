/// A running median along rows, mirrored at the edges without repeating the edge value.
///
/// NaN counts as greater than every number, as in torch's sort.
package struct MedianFilter: Sendable {
    /// Number of values under the filter, odd.
    package let width: Int

    /// - Parameter width: odd; 7 for word alignment.
    package init(width: Int) {
        precondition(width > 0 && width % 2 == 1, "a median filter needs an odd width, not \(width)")
        self.width = width
    }

    /// Filters each row of a row-major matrix; rows no longer than half the width stay unchanged.
    ///
    /// - Parameters:
    ///   - values: a whole number of rows.
    ///   - columns: length of a row.
    package func apply(to values: inout [Float], columns: Int) {
        let half = width / 2
        guard half > 0, columns > half else { return }
        var padded = [Int32](repeating: 0, count: columns + 2 * half + Self.lanes)
        var survivors = [SIMD8<Int32>](repeating: SIMD8(repeating: 0), count: half + 2)
        for first in stride(from: 0, through: values.count - columns, by: columns) {
            for column in 0..<columns { padded[half + column] = Self.key(values[first + column]) }
            for k in 1...half {
                padded[half - k] = padded[half + k]
                padded[half + columns - 1 + k] = padded[half + columns - 1 - k]
            }
            for column in stride(from: 0, to: columns, by: Self.lanes) {
                let medians = medians(of: padded, from: column, survivors: &survivors)
                for lane in 0..<min(Self.lanes, columns - column) {
                    values[first + column + lane] = Self.value(medians[lane])
                }
            }
        }
    }

    private static let lanes = 8

    /// Medians of eight neighboring windows at once.
    ///
    /// Among width/2 + 2 values, neither the smallest nor the greatest can be the median of all `width`: drop both, add
    /// the next value, and repeat until one value is left.
    private func medians(
        of padded: [Int32], from start: Int, survivors: inout [SIMD8<Int32>]
    ) -> SIMD8<Int32> {
        var count = width / 2 + 2
        for k in 0..<count { survivors[k] = Self.load(padded, start + k) }
        var next = start + count
        while true {
            // Move the smallest value to the front and the greatest to the back.
            for k in 1..<count { Self.order(&survivors, 0, k) }
            for k in 1..<(count - 1) { Self.order(&survivors, k, count - 1) }
            guard count > 3 else { return survivors[1] }
            survivors[0] = Self.load(padded, next)
            next += 1
            count -= 1
        }
    }

    private static func order(_ values: inout [SIMD8<Int32>], _ low: Int, _ high: Int) {
        let a = values[low]
        let b = values[high]
        values[low] = pointwiseMin(a, b)
        values[high] = pointwiseMax(a, b)
    }

    private static func load(_ keys: [Int32], _ at: Int) -> SIMD8<Int32> {
        SIMD8(
            keys[at], keys[at + 1], keys[at + 2], keys[at + 3],
            keys[at + 4], keys[at + 5], keys[at + 6], keys[at + 7])
    }

    /// An integer with the same order as the number, NaN last.
    private static func key(_ value: Float) -> Int32 {
        let bits = Int32(bitPattern: (value.isNaN ? Float.nan : value).bitPattern)
        return bits ^ ((bits >> 31) & 0x7fff_ffff)
    }

    private static func value(_ key: Int32) -> Float {
        Float(bitPattern: UInt32(bitPattern: key ^ ((key >> 31) & 0x7fff_ffff)))
    }
}
