import Glibc

/// Triangular unit-area filters on Slaney's mel scale over the 201 bins of a 400-point transform at 16 kHz.
///
/// The scale is linear below 1000 Hz (3 mel per 200 Hz) and logarithmic above (27 mel per factor of 6.4).
package enum MelFilterBank {
    /// One row of 201 weights per band, lowest band first; bit-equal to openai-whisper's, which come from librosa. The
    /// order of the operations and the two roundings to float32 are librosa's.
    package static func filters(bands: Int) -> [[Float]] {
        let top = mel(ofHertz: 8000), spacing = top / Double(bands + 1)
        let edges = (0...bands).map { hertz(ofMel: Double($0) * spacing) } + [hertz(ofMel: top)]
        return (0..<bands).map { band in
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            return (0...200).map { bin in
                let frequency = 40 * Double(bin)
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
