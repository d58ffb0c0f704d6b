import CKernels

/// Vectorized loops over a row of logits.
///
/// Invariant: every pointer comes from an array's `withUnsafe…Buffer` and is used only inside the range that was
/// checked against the array's bounds at the start of the function. NaN never wins a comparison; it is treated like
/// -infinity.
package enum LogitKernels {
    private typealias Lanes = SIMD8<Float>
    private static let width = 8

    /// The maximum of `values[range]`; -infinity if the range is empty.
    package static func maximum(of values: [Float], in range: Range<Int>) -> Float {
        check(range, in: values)
        return unsafe values.withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return -.infinity }
            return unsafe ck_maximum(start + range.lowerBound, range.count)
        }
    }

    /// `weights[i] = exp((values[i] - maximum) · scale)` for the whole row; results below 1e-37 become 0.
    ///
    /// - Parameters:
    ///   - maximum: finite and not less than any value.
    ///   - scale: positive.
    ///   - weights: an array of the same length as `values`.
    package static func exponentials(
        of values: [Float], minus maximum: Float, times scale: Float, into weights: inout [Float]
    ) {
        precondition(weights.count == values.count, "\(weights.count) weights for \(values.count) values")
        let count = values.count
        unsafe values.withUnsafeBufferPointer { values in
            unsafe weights.withUnsafeMutableBufferPointer { weights in
                var at = 0
                while at + width <= count {
                    let result = unsafe weight((lanes(values, at) - maximum) * scale)
                    unsafe UnsafeMutableRawPointer(weights.baseAddress! + at).storeBytes(of: result, as: Lanes.self)
                    at += width
                }
                if at < count {
                    let result = unsafe weight((lastLanes(values, at, count) - maximum) * scale)
                    for index in at..<count { unsafe weights[index] = result[index - at] }
                }
            }
        }
    }

    /// The sum of `values[range]`, accumulated in eight interleaved double-precision sums.
    package static func sum(of values: [Float], in range: Range<Int>) -> Double {
        check(range, in: values)
        return unsafe values.withUnsafeBufferPointer { values in
            var sum = SIMD8<Double>.zero
            var at = range.lowerBound
            while at + width <= range.upperBound {
                unsafe sum += SIMD8<Double>(lanes(values, at))
                at += width
            }
            var total = sum.sum()
            while at < range.upperBound {
                unsafe total += Double(values[at])
                at += 1
            }
            return total
        }
    }

    /// `values[range] = value`.
    package static func fill(_ values: inout [Float], in range: Range<Int>, with value: Float) {
        check(range, in: values)
        unsafe values.withUnsafeMutableBufferPointer { values in
            unsafe values[range].update(repeating: value)
        }
    }

    /// The index of the first maximum; `nil` if all values are -infinity or NaN.
    package static func firstMaximum(of values: [Float]) -> (index: Int, value: Float)? {
        guard !values.isEmpty else { return nil }
        return unsafe values.withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return nil }
            var index = 0
            unsafe ck_greatest(start, values.count, 1, &index)
            let value = unsafe values[index]
            return value > -.infinity ? (index, value) : nil
        }
    }

    /// Finds the indices of the top `count` values in descending order, the lower index first on ties.
    ///
    /// - Parameter indices: replaced by min(`count`, number of values) indices.
    package static func greatest(_ count: Int, of values: [Float], into indices: inout [Int]) {
        let kept = max(0, min(count, values.count))
        if indices.count > kept { indices.removeLast(indices.count - kept) }
        while indices.count < kept { indices.append(0) }
        guard kept > 0 else { return }
        unsafe values.withUnsafeBufferPointer { values in
            unsafe indices.withUnsafeMutableBufferPointer { indices in
                guard let from = values.baseAddress, let to = indices.baseAddress else { return }
                unsafe ck_greatest(from, values.count, kept, to)
            }
        }
    }

    /// Finds the top values, the maximum and the sum of exponentials of `values[range]` in one pass.
    ///
    /// - Parameters:
    ///   - count: the number of top values.
    ///   - indices: replaced by the indices of the top values as in `greatest`, at most the length of the range.
    /// - Returns: the maximum as in `maximum(of:in:)`, and Σ exp(value - maximum) with a relative error below 1e-6,
    ///   which is meaningless if the maximum is infinite.
    package static func survey(
        of values: [Float], in range: Range<Int>, greatest count: Int, into indices: inout [Int]
    ) -> (maximum: Float, sum: Double) {
        check(range, in: values)
        let kept = max(0, min(count, range.count))
        if indices.count > kept { indices.removeLast(indices.count - kept) }
        while indices.count < kept { indices.append(0) }
        var maximum = -Float.infinity
        let sum = unsafe values.withUnsafeBufferPointer { values in
            unsafe indices.withUnsafeMutableBufferPointer { indices in
                guard let start = values.baseAddress else { return 0.0 }
                var nowhere = 0
                return unsafe withUnsafeMutablePointer(to: &nowhere) { nowhere in
                    unsafe ck_survey(
                        start + range.lowerBound, range.count, kept, indices.baseAddress ?? nowhere, &maximum)
                }
            }
        }
        if range.lowerBound > 0 { for index in indices.indices { indices[index] += range.lowerBound } }
        return (maximum, sum)
    }

    private static func check(_ range: Range<Int>, in values: [Float]) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= values.count, "\(range) of \(values.count) values")
    }

    @inline(__always)
    private static func lanes(_ values: UnsafeBufferPointer<Float>, _ at: Int) -> Lanes {
        unsafe UnsafeRawPointer(values.baseAddress! + at).loadUnaligned(as: Lanes.self)
    }

    /// The last values, fewer than eight, padded with -infinity.
    @inline(__always)
    private static func lastLanes(_ values: UnsafeBufferPointer<Float>, _ at: Int, _ end: Int) -> Lanes {
        var result = Lanes(repeating: -.infinity)
        for index in at..<end { unsafe result[index - at] = values[index] }
        return result
    }

    @inline(__always)
    private static func weight(_ x: Lanes) -> Lanes {
        let result = exponential(x)
        return result.replacing(with: 0, where: result .< 1e-37)
    }

    /// exp(x) for x ≤ 0, with a relative error below 1e-6 down to -10 and below 1e-5 beyond; 1.6e-38 below -87 and for
    /// NaN.
    ///
    /// exp(x) = 2ⁿ · 2ᶠ with n = round(x / ln 2) and |f| ≤ ½. Adding 1.5 · 2²³ rounds to an integer and leaves n in the
    /// low bits. The polynomial for 2ᶠ is the minimax fit of the relative error (1e-7) with exp(0) = 1.
    @inline(__always)
    private static func exponential(_ x: Lanes) -> Lanes {
        let power = Lanes(repeating: -87).replacing(with: x, where: x .> -87) * 1.442_695_04
        let rounded = power + 12_582_912
        let f = power - (rounded - 12_582_912)
        var series = f * 0.001_326_472_542 + 0.009_671_512_768
        series = series * f + 0.055_507_337_491
        series = series * f + 0.240_222_420_826
        series = series * f + 0.693_146_977_595
        series = series * f + 1
        let exponent = unsafe unsafeBitCast(rounded, to: SIMD8<UInt32>.self) &<< 23
        return unsafe unsafeBitCast(unsafeBitCast(series, to: SIMD8<UInt32>.self) &+ exponent, to: Lanes.self)
    }
}
