import Glibc

/// Resamples a stream of any sample rate to 16 kHz, without delay and without changing its length beyond rounding.
///
/// Band-limited interpolation with a Kaiser-windowed sinc (Smith and Gossett, 1984): an ideal low-pass filter at the
/// lower of the two Nyquist frequencies, 48 zero crossings on each side, β = 10 (side lobes below -100 dB). The center
/// of the transition band lies so far below the Nyquist frequency that the stop band begins there: flat up to 87 % of
/// it, no alias above -80 dB. If the ratio of the rates has few phases, the filters are exact; otherwise 1024 phases
/// are stored and neighboring ones interpolated (error below -115 dB).
package struct Resampler {
    private static let zeroCrossings = 48
    private static let beta = 10.0
    /// Center of the transition band as a fraction of the Nyquist frequency: below it by half of Kaiser's transition
    /// width, which is (100 dB - 7.95) / (14.36 · 96) = 0.067 cycles per sample, or 0.134 of the Nyquist frequency.
    private static let cutoff = 1 - 0.067
    private static let storedPhases = 1024

    /// Output and input rate, divided by their greatest common divisor.
    private let up: Int
    private let down: Int
    /// Filter taps on each side of the center.
    private let reach: Int
    private let phases: Int
    /// `[phases + 1][2 · reach]`
    private let filters: [Float]

    /// Input samples from position `first` on; the signal is zero before its start and after its end.
    private var history: [Float]
    private var first: Int
    private var received = 0
    private var produced = 0

    /// - Parameter rate: within `AudioLimits.sampleRates`.
    package init(from rate: Int) {
        let common = Self.greatestCommonDivisor(rate, AudioChunk.sampleRate)
        up = AudioChunk.sampleRate / common
        down = rate / common
        let scale = min(1, Double(up) / Double(down))
        reach = Int((Double(Self.zeroCrossings) / scale).rounded(.up))
        phases = min(up, Self.storedPhases)
        filters = Self.filters(phases: phases, reach: reach, scale: scale)
        history = Array(repeating: 0, count: reach)
        first = -reach
    }

    /// Returns the output that the input so far determines.
    package mutating func process(_ input: [Float]) -> [Float] {
        history += input
        received += input.count
        return produce(before: received - reach)
    }

    /// Returns the remaining output. The total length is that of the input, rounded up.
    package mutating func finish() -> [Float] {
        history += Array(repeating: 0, count: reach + 1)
        return produce(before: received)
    }

    /// Returns the output samples centered before input sample `end`.
    private mutating func produce(before end: Int) -> [Float] {
        let output = output(before: end)
        produced += output.count
        let consumed = min(history.count, max(0, produced * down / up - reach + 1 - first))
        history.removeFirst(consumed)
        first += consumed
        return output
    }

    private func output(before end: Int) -> [Float] {
        var output: [Float] = []
        let input = history.span
        let taps = filters.span
        while true {
            // Integer positions do not drift, even over 100 hours.
            let (center, fraction) = ((produced + output.count) * down).quotientAndRemainder(dividingBy: up)
            guard center < end else { return output }
            let (phase, between) = (fraction * phases).quotientAndRemainder(dividingBy: up)
            let start = center - reach + 1 - first
            var sum = Self.product(input, start, taps, phase * 2 * reach, 2 * reach)
            if between > 0 {
                let next = Self.product(input, start, taps, (phase + 1) * 2 * reach, 2 * reach)
                sum += (next - sum) * (Float(between) / Float(up))
            }
            output.append(sum)
        }
    }

    private static func product(
        _ input: Span<Float>, _ start: Int, _ taps: Span<Float>, _ offset: Int, _ count: Int
    ) -> Float {
        var sums = SIMD8<Float>.zero
        var index = 0
        while index + 8 <= count {
            var a = SIMD8<Float>.zero
            var b = SIMD8<Float>.zero
            for lane in 0..<8 {
                a[lane] = input[start + index + lane]
                b[lane] = taps[offset + index + lane]
            }
            sums += a * b
            index += 8
        }
        var sum = sums.sum()
        while index < count {
            sum += input[start + index] * taps[offset + index]
            index += 1
        }
        return sum
    }

    /// Filter `p` interpolates at `p / phases` of the way from one input sample to the next.
    private static func filters(phases: Int, reach: Int, scale: Double) -> [Float] {
        var filters: [Float] = []
        filters.reserveCapacity((phases + 1) * 2 * reach)
        let width = Double(zeroCrossings) / scale
        let normalization = bessel(beta)
        for phase in 0...phases {
            let fraction = Double(phase) / Double(phases)
            var filter = (0..<(2 * reach)).map { tap -> Double in
                let distance = Double(tap - reach + 1) - fraction
                let x = distance / width
                guard x.magnitude < 1 else { return 0 }
                let angle = Double.pi * distance * scale * cutoff
                let sinc = angle == 0 ? 1 : sin(angle) / angle
                return scale * cutoff * sinc * bessel(beta * (1 - x * x).squareRoot()) / normalization
            }
            // Normalize each phase to unit gain at DC; differences between phases would be audible as a tone.
            let sum = filter.reduce(0, +)
            for index in filter.indices { filter[index] /= sum }
            filters += filter.map(Float.init)
        }
        return filters
    }

    /// The modified Bessel function of the first kind, order 0, by its power series.
    private static func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        var k = 1.0
        while term > sum * 1e-16 {
            term *= (x / 2 / k) * (x / 2 / k)
            sum += term
            k += 1
        }
        return sum
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
