import Foundation
import Testing

@Suite("Level meter")
struct LevelMeterTests {
    static func constant(_ value: Float, _ seconds: Double) -> [Float] {
        Array(repeating: value, count: Int(seconds * 16_000))
    }

    func meter(_ samples: [Float]...) -> LevelMeter {
        var meter = LevelMeter()
        for block in samples { meter.process(block) }
        return meter
    }

    @Test("there is no level before the first 20 ms")
    func empty() {
        #expect(meter().rms == nil)
        #expect(meter(Self.constant(1, 0.019)).peak == nil)
        #expect(meter(Self.constant(1, 0.02)).heldPeak == 0)
    }

    @Test(
        "the level of a constant is 20 log10 of it, at least -100",
        arguments: [(1, 0), (0.5, -6.0206), (0.1, -20), (1.0 / 32_768, -90.309), (0.000_01, -100), (0, -100)]
            as [(Float, Double)])
    func constants(value: Float, level: Double) throws {
        let meter = meter(Self.constant(value, 0.1))
        #expect(abs(try #require(meter.rms) - level) < 1e-3)
        #expect(abs(try #require(meter.peak) - level) < 1e-3)
    }

    @Test("a half-scale sine has an RMS of -9.03 dB and a peak of -6.02 dB")
    func sine() throws {
        // 400 Hz: 40 complete periods in 100 ms.
        let meter = meter((0..<1600).map { Float(0.5 * sin(2 * .pi * 400 * Double($0) / 16_000)) })
        #expect(abs(try #require(meter.rms) + 9.0309) < 1e-3)
        #expect(abs(try #require(meter.peak) + 6.0206) < 1e-3)
    }

    @Test("RMS is measured over 100 ms: 40 ms of full scale in it are -3.98 dB")
    func window() throws {
        let meter = meter(Self.constant(1, 3), Self.constant(0, 0.06))
        #expect(abs(try #require(meter.rms) - 10 * log10(0.4)) < 1e-9)
        #expect(self.meter(Self.constant(1, 3), Self.constant(0, 0.1)).rms == -100)
    }

    @Test("a peak is held for 1.5 s", arguments: [(1.46, 0.0), (1.48, -100)])
    func hold(seconds: Double, level: Double) {
        // The step that contains the peak is one of the 75.
        let meter = meter([1] + Self.constant(0, 319.0 / 16_000), Self.constant(0, seconds + 0.02))
        #expect(meter.heldPeak == level)
        #expect(meter.peak == -100)
    }

    @Test(
        "three samples in a row at full scale are clipping, two are not",
        arguments: [
            ([1, 1, 1], true), ([-1, 1, -1], true), ([32_767.0 / 32_768, 1, -1], true), ([1, 1], false),
            ([1, 1, 0, 1, 1], false), ([0.9999, 0.9999, 0.9999], false),
        ] as [([Float], Bool)])
    func clip(samples: [Float], isClipped: Bool) {
        // The samples span two steps.
        let quiet = Self.constant(0.1, 319.0 / 16_000)
        #expect(meter(quiet, samples, Self.constant(0, 0.04)).isClipped == isClipped)
        #expect(!meter(quiet, samples, Self.constant(0, 1.6)).isClipped)
    }

    @Test("3 s below -90 dB count as no signal")
    func silent() {
        let noise = (0..<48_320).map { $0 % 3 == 0 ? Float(1) / 32_768 : 0 }
        #expect(meter(noise).isSilent)
        #expect(!meter(Array(noise.prefix(47_999))).isSilent)
        #expect(!meter(noise.map { $0 * 4 }).isSilent)
        #expect(!meter(noise, Self.constant(0.01, 0.02)).isSilent)
        #expect(!meter(noise).hasHeardSignal)
        #expect(meter(Self.constant(0.01, 0.02), noise).hasHeardSignal)
    }

    @Test("block sizes do not change the levels", arguments: [1, 7, 320, 5000])
    func blocks(size: Int) {
        var numbers = SplitMix64(seed: 5)
        let samples = (0..<16_000).map { _ in Float.random(in: -1...1, using: &numbers) }
        var meter = LevelMeter()
        for start in stride(from: 0, to: samples.count, by: size) {
            meter.process(Array(samples[start..<min(start + size, samples.count)]))
        }
        let whole = self.meter(samples)
        #expect(meter.rms == whole.rms && meter.peak == whole.peak && meter.heldPeak == whole.heldPeak)
    }
}
