import Glibc

/// The band-pass filters of SincNet (Ravanelli and Bengio 2018): 40 pairs of an even and an odd one, each made from two
/// learned frequencies.
package enum SincFilters {
    static let count = 80
    static let taps = 251
    /// Samples from one output to the next.
    static let stride = 10

    private static let pairs = 40
    private static let half = 125
    private static let minHertz: Float = 50
    private static let maxHertz: Float = 8000

    /// The filters as `[80, 251]`; the odd ones follow the even ones.
    ///
    /// - Parameters:
    ///   - low: learned distances of the lower frequencies from 50 Hz, `[40]`.
    ///   - band: learned distances of the bandwidths from 50 Hz, `[40]`.
    ///   - window: the left half of a Hamming window, `[125]`.
    ///   - times: 2π times the times of the left half, `[125]`.
    package static func filters(low: [Float], band: [Float], window: [Float], times: [Float]) -> [Float] {
        precondition(low.count == pairs && band.count == pairs && window.count == half && times.count == half)
        var even: [Float] = [], odd: [Float] = []
        for pair in 0..<pairs {
            let first = minHertz + abs(low[pair])
            let last = min(max(first + minHertz + abs(band[pair]), minHertz), maxHertz)
            let width = 2 * (last - first)
            let sides = zip(window, times).map { window, time -> (even: Float, odd: Float) in
                let scale = window / (time / 2) / width
                return (
                    (sinf(last * time) - sinf(first * time)) * scale, (cosf(first * time) - cosf(last * time)) * scale
                )
            }
            even += sides.map(\.even) + [1] + sides.reversed().map(\.even)
            odd += sides.map(\.odd) + [0] + sides.reversed().map { -$0.odd }
        }
        return even + odd
    }
}
