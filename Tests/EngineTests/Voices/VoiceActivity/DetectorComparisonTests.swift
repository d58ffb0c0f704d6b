import Foundation
import Testing

/// Both detectors on spoken clips with added white noise; prints the rows of the table in docs/streaming.md.
@Suite("Comparison of voice activity detectors")
struct DetectorComparisonTests {
    private static let frame = 320
    /// Samples of silence before and after each clip.
    private static let margin = 3 * 16_000

    /// The level of each frame in dB relative to full scale.
    private static func levels(_ samples: [Float]) -> [Double] {
        stride(from: 0, to: samples.count - frame + 1, by: frame).map { start in
            let power = samples[start..<(start + frame)].reduce(0.0) { $0 + Double($1) * Double($1) }
            return 10 * log10(power / Double(frame) + 1e-12)
        }
    }

    /// Gaussian noise at a given level, dB.
    private static func noise(_ count: Int, level: Double, seed: UInt64) -> [Float] {
        var generator = SplitMix64(seed: seed)
        let scale = pow(10, level / 20)
        return (0..<count).map { _ in
            let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &generator))).squareRoot()
            return Float(scale * radius * cos(2 * Double.pi * Double.random(in: 0..<1, using: &generator)))
        }
    }

    /// Returns the share of speech that was missed and the share of silence that was kept.
    private static func shares(_ detector: some VoiceActivityDetector, noise decibels: Double) throws -> (
        Double, Double
    ) {
        var (speech, missed, silence, kept) = (0, 0, 0, 0)
        for index in 0..<20 {
            let name = "clips/say-\(index < 10 ? "0" : "")\(index).wav"
            let pause = [Float](repeating: 0, count: margin)
            let clean = pause + (try MelFixture.samples(name)) + pause
            let levels = levels(clean)
            let loud = levels.filter { $0 > -40 }
            let mean = 10 * log10(loud.map { pow(10, $0 / 10) }.reduce(0, +) / Double(max(1, loud.count)))
            let added = noise(clean.count, level: mean - decibels, seed: UInt64(index))
            let run = DetectorRun(detector, zip(clean, added).map { $0 + $1 }, blocks: [4000])
            let spoken = levels.map { $0 > -50 }
            for (number, level) in levels.enumerated() {
                let isKept = run.segments.contains { $0.contains(number * frame + frame / 2) }
                if level > max(-50, mean - decibels + 6) {
                    speech += 1
                    missed += isKept ? 0 : 1
                } else if !spoken[max(0, number - 10)...min(levels.count - 1, number + 10)].contains(true) {
                    // At least 200 ms away from any speech.
                    silence += 1
                    kept += isKept ? 1 : 0
                }
            }
        }
        return (Double(missed) / Double(speech), Double(kept) / Double(silence))
    }

    private static func line(_ name: String, _ decibels: Int, _ shares: (Double, Double)) -> String {
        func percent(_ share: Double) -> String { String(format: "%.2f %%", 100 * share) }
        return "| \(name) | \(decibels) dB | \(percent(shares.0)) | \(percent(shares.1)) |"
    }

    @Test("the energy detector misses little speech in noise", arguments: [30, 20, 10])
    func energy(decibels: Int) throws {
        let shares = try Self.shares(EnergyDetector(), noise: Double(decibels))
        print(Self.line("energy", decibels, shares))
        #expect(shares.0 < 0.02)
        #expect(shares.1 < 0.3)
    }

    @Test(
        "Silero's network misses little speech in noise",
        .enabled(if: VoiceActivityFixture.weights != nil, RealSpeech.reason),
        arguments: [30, 20, 10])
    func silero(decibels: Int) throws {
        let network = try SileroNetwork(try #require(VoiceActivityFixture.weights))
        let shares = try Self.shares(SileroDetector(network), noise: Double(decibels))
        print(Self.line("silero", decibels, shares))
        #expect(shares.0 < 0.05)
        #expect(shares.1 < 0.3)
    }
}
