import Glibc

/// Triangular unit-area filters on Slaney's mel scale over the bins of a Fourier transform at 16 kHz.
///
/// The scale is linear below 1000 Hz (3 mel per 200 Hz) and logarithmic above (27 mel per factor of 6.4).
package enum MelFilterBank {
    /// One row of weights per band, lowest band first, one for each of `points / 2 + 1` bins; bit-equal to
    /// openai-whisper's, which come from librosa. The order of the operations and the two roundings to float32 are
    /// librosa's.
    ///
    /// - Parameter points: of the Fourier transform.
    package static func filters(bands: Int, points: Int) -> [[Float]] {
        let top = mel(ofHertz: 8000), spacing = top / Double(bands + 1)
        let edges = (0...bands).map { hertz(ofMel: Double($0) * spacing) } + [hertz(ofMel: top)]
        return (0..<bands).map { band in
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            return (0...(points / 2)).map { bin in
                let frequency = 16_000 / Double(points) * Double(bin)
                let rising = -(low - frequency) / (middle - low), falling = (high - frequency) / (high - middle)
                let triangle = Float(max(0, min(rising, falling)))
                return Float(Double(triangle) * (2 / (high - low)))
            }
        }
    }

    private static let hertzPerMel = 200.0 / 3
    /// The mel number of 1000 Hz, about 15.
    private static let knee = 1000 / hertzPerMel
    private static let step = log(6.4) / 27

    private static func mel(ofHertz hertz: Double) -> Double {
        hertz < 1000 ? hertz / hertzPerMel : knee + log(hertz / 1000) / step
    }

    private static func hertz(ofMel mel: Double) -> Double {
        mel < knee ? hertzPerMel * mel : 1000 * exp(step * (mel - knee))
    }
}
