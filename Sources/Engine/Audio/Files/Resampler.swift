import Glibc

/// Changes any sample rate to 16 kHz, as a stream, without delay or change of length beyond rounding.
///
/// Band-limited interpolation with a Kaiser-windowed sinc (Smith and Gossett, 1984): the ideal low pass at the lower
/// of the two Nyquist frequencies, 48 zero crossings to each side, β = 10 (side lobes below -100 dB). The middle of
/// the transition lies so far under the Nyquist frequency that the stop band begins there: flat to 87 % of it, no
/// alias above -80 dB. Where the two rates have a ratio of few phases the filters are exact; else 1024 phases are
/// stored and two neighbours interpolated (error below -115 dB).
package struct Resampler {
    private static let zeroCrossings = 48
    private static let beta = 10.0
    /// Middle of the transition, parts of the Nyquist frequency: half of Kaiser's width
    /// (100 dB - 7.95) / (14.36 · 96) = 0.067 cycles a sample, twice that in units of the Nyquist frequency, halved.
    private static let cutoff = 1 - 0.067
    private static let storedPhases = 1024

    /// Output and input rate without common factors.
    private let up: Int
    private let down: Int
    /// Taps to each side of the middle.
    private let reach: Int
    private let phases: Int
    /// `[phases + 1][2 · reach]`
    private let filters: [Float]

    /// Input from `first` on; before the start and behind the end there are zeros.
    private var held: [Float]
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
        held = Array(repeating: 0, count: reach)
        first = -reach
    }

    /// The samples that can be told from what came so far.
    package mutating func process(_ input: [Float]) -> [Float] {
        held += input
        received += input.count
        return produce(before: received - reach)
    }

    /// The last samples; all together are as long as the input, rounded up.
    package mutating func finish() -> [Float] {
        held += Array(repeating: 0, count: reach + 1)
        return produce(before: received)
    }

    /// Output up to the one whose middle lies at input sample `end`.
    private mutating func produce(before end: Int) -> [Float] {
        let output = output(before: end)
        produced += output.count
        let passed = min(held.count, max(0, produced * down / up - reach + 1 - first))
        held.removeFirst(passed)
        first += passed
        return output
    }

    private func output(before end: Int) -> [Float] {
        var output: [Float] = []
        let input = held.span
        let taps = filters.span
        while true {
            // Positions are counted in whole numbers, so that nothing drifts in 100 hours.
            let (middle, part) = ((produced + output.count) * down).quotientAndRemainder(dividingBy: up)
            guard middle < end else { return output }
            let (phase, between) = (part * phases).quotientAndRemainder(dividingBy: up)
            let start = middle - reach + 1 - first
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

    /// Filter `p` gives the value at `p / phases` of the way from one input sample to the next.
    private static func filters(phases: Int, reach: Int, scale: Double) -> [Float] {
        var filters: [Float] = []
        filters.reserveCapacity((phases + 1) * 2 * reach)
        let width = Double(zeroCrossings) / scale
        let top = bessel(beta)
        for phase in 0...phases {
            let part = Double(phase) / Double(phases)
            var filter = (0..<(2 * reach)).map { tap -> Double in
                let distance = Double(tap - reach + 1) - part
                let place = distance / width
                guard place.magnitude < 1 else { return 0 }
                let angle = Double.pi * distance * scale * cutoff
                let sinc = angle == 0 ? 1 : sin(angle) / angle
                return scale * cutoff * sinc * bessel(beta * (1 - place * place).squareRoot()) / top
            }
            // Every phase passes a constant unchanged; else their differences would be heard as a tone.
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
