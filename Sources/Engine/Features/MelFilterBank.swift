import Glibc

/// Triangular unit-area filters on Slaney's mel scale over the 201 bins of a 400-point transform at 16 kHz.
///
/// The scale is linear below 1000 Hz (3 mel per 200 Hz) and logarithmic above (27 mel per factor of 6.4).
package enum MelFilterBank {
    /// One row of 201 weights per band, lowest band first; within 2.4e-9 of the published matrices.
    package static func filters(bands: Int) -> [[Float]] {
        let top = mel(ofHertz: 8000)
        let edges = (0...(bands + 1)).map { hertz(ofMel: top * Double($0) / Double(bands + 1)) }
        return (0..<bands).map { band in
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            return (0...200).map { bin in
                let frequency = 40 * Double(bin)
                let rising = (frequency - low) / (middle - low), falling = (high - frequency) / (high - middle)
                return Float(max(0, min(rising, falling)) * 2 / (high - low))
            }
        }
    }

    private static let step = log(6.4) / 27

    private static func mel(ofHertz hertz: Double) -> Double {
        hertz < 1000 ? hertz * 3 / 200 : 15 + log(hertz / 1000) / step
    }

    private static func hertz(ofMel mel: Double) -> Double {
        mel < 15 ? mel * 200 / 3 : 1000 * exp((mel - 15) * step)
    }
}
