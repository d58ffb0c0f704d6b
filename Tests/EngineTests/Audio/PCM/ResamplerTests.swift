import Foundation
import Testing

@Suite("Resampler")
struct ResamplerTests {
    static let rates = [1000, 8000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000, 15_999, 767_999]

    private func resampled(_ input: [Float], from rate: Int, block: Int = 4096) -> [Float] {
        var resampler = Resampler(from: rate)
        var output: [Float] = []
        for start in stride(from: 0, to: input.count, by: block) {
            output += resampler.process(Array(input[start..<min(input.count, start + block)]))
        }
        return output + resampler.finish()
    }

    private func tone(_ frequency: Double, rate: Int, seconds: Double) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { Float(sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    private func decibels(_ ratio: Float) -> Double { 20 * log10(max(Double(ratio), 1e-12)) }

    @Test("the output is as long as the input, rounded up", arguments: rates)
    func length(rate: Int) {
        for count in [0, 1, 2, 7, 1000, 4097] {
            #expect(
                resampled(Array(repeating: 0.5, count: count), from: rate).count
                    == (count * 16_000 + rate - 1) / rate)
        }
    }

    @Test("block sizes do not change the output", arguments: [8000, 44_100, 767_999])
    func blocks(rate: Int) {
        var numbers = SplitMix64(seed: 1)
        let input = (0..<20_000).map { _ in Float.random(in: -1...1, using: &numbers) }
        let whole = resampled(input, from: rate, block: .max / 2)
        #expect(resampled(input, from: rate, block: 1000) == whole)
        #expect(resampled(input, from: rate, block: 37) == whole)
    }

    /// In the pass band (87 % of the lower Nyquist frequency) a tone keeps its level and phase: the error is below -80
    /// dB.
    @Test("tones in the pass band are unchanged", arguments: rates)
    func passBand(rate: Int) {
        let edge = 0.86 * Double(min(rate, 16_000)) / 2
        for part in [0.02, 0.3, 0.7, 0.95, 1.0] {
            let output = resampled(tone(part * edge, rate: rate, seconds: 0.5), from: rate)
            let ideal = tone(part * edge, rate: 16_000, seconds: 0.5)
            // The filter also reaches the silence beyond the ends.
            let skipped = 48 * 16_000 / min(rate, 16_000) + 8
            let range = skipped..<(min(ideal.count, output.count) - skipped)
            let difference = greatestDifference(Array(output[range]), Array(ideal[range]))
            #expect(decibels(difference) < -80, "\(Int(part * edge)) Hz of \(rate)")
        }
    }

    @Test("frequencies above 8 kHz do not alias", arguments: rates.filter { $0 > 17_000 })
    func aliases(rate: Int) {
        let top = Double(rate) / 2
        for part in [0.001, 0.01, 0.05, 0.2, 0.5, 0.9] {
            let frequency = 8000 + part * (top - 8000)
            let output = resampled(tone(frequency, rate: rate, seconds: 0.5), from: rate)
            // The abrupt start and end of the tone are broadband.
            let peak = greatestMagnitude(output[500..<(output.count - 500)])
            #expect(decibels(peak) < -80, "\(Int(frequency)) Hz of \(rate)")
        }
    }

    @Test("upsampling produces no images", arguments: [8000, 11_025])
    func images(rate: Int) {
        // 3.2 kHz sampled at 8 kHz could have an image at 4.8 kHz; subtracting the ideal tone leaves only the image.
        let frequency = 0.4 * Double(rate)
        let output = resampled(tone(frequency, rate: rate, seconds: 1), from: rate)
        let ideal = tone(frequency, rate: 16_000, seconds: 1)
        let left = greatestDifference(Array(output[1000..<15_000]), Array(ideal[1000..<15_000]))
        #expect(decibels(left) < -80)
    }

    @Test("a constant stays constant")
    func constant() {
        for rate in Self.rates where rate > 2000 {
            let output = resampled(Array(repeating: 0.5, count: rate), from: rate)
            #expect(output[2000..<14_000].allSatisfy { abs($0 - 0.5) < 1e-5 })
        }
    }
}
