/// How the elements of a tensor are spread over memory: element `[i, j, …]` is at `i * strides[0] + j * strides[1] + …`.
package struct StridedLayout: Sendable {
    package let sizes: [Int]
    /// Counted in elements.
    package let strides: [Int]
    /// The number of elements of the tensor.
    package let count: Int
    /// The number of elements from the first to the last, including those in between that belong to other tensors; 0 if
    /// there are none.
    package let span: Int

    /// - Parameters:
    ///   - sizes: not negative, as many as `strides`.
    /// - Returns: `nil` if a stride is negative, or if the number of elements or the span does not fit in an `Int`.
    package init?(sizes: [Int], strides: [Int]) {
        guard sizes.count == strides.count, strides.allSatisfy({ $0 >= 0 }) else { return nil }
        var count = 1, last = 0
        for (size, stride) in zip(sizes, strides) {
            let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
            let (distance, isTooFar) = max(0, size - 1).multipliedReportingOverflow(by: stride)
            let (sum, overflows) = last.addingReportingOverflow(distance)
            if isTooLarge || isTooFar || overflows { return nil }
            count = product
            last = sum
        }
        guard last < Int.max else { return nil }
        self.sizes = sizes
        self.strides = strides
        self.count = count
        span = count == 0 ? 0 : last + 1
    }

    /// Whether the elements follow each other without gaps, the last dimension varying fastest.
    package var isContiguous: Bool {
        if span == 0 { return true }
        var expected = 1
        for (size, stride) in zip(sizes, strides).reversed() where size != 1 {
            if stride != expected { return false }
            expected *= size
        }
        return true
    }

    /// Calls `body` for runs of elements that are equally spaced: with the position of the first element, the distance to
    /// the next, and their number.
    ///
    /// - Parameter elements: a range of element indices in the order of the shape.
    package func eachRun(_ elements: Range<Int>, _ body: (_ first: Int, _ step: Int, _ count: Int) -> Void) {
        guard let row = sizes.last, let step = strides.last else {
            if !elements.isEmpty { body(0, 0, 1) }
            return
        }
        let outer = Array(zip(sizes, strides).dropLast().reversed())
        var index = elements.lowerBound
        while index < elements.upperBound {
            let column = index % row, count = min(row - column, elements.upperBound - index)
            var rest = index / row, first = column * step
            for (size, stride) in outer {
                first += rest % size * stride
                rest /= size
            }
            body(first, step, count)
            index += count
        }
    }
}
