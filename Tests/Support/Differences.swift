/// The greatest magnitude; infinity if a value is NaN, which `max` would skip.
package func greatestMagnitude(_ values: some Sequence<Float>) -> Float {
    values.reduce(0) { $1.isNaN ? .infinity : max($0, $1.magnitude) }
}

/// The greatest difference of two arrays; infinity if their lengths differ or a difference is NaN.
package func greatestDifference(_ a: [Float], _ b: [Float]) -> Float {
    a.count == b.count ? greatestMagnitude(zip(a, b).lazy.map { $0 - $1 }) : .infinity
}
