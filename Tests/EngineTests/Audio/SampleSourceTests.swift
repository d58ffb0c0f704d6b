import Foundation
import Testing

@Suite("Samples in memory")
struct SampleSourceTests {
    private func samples(_ source: SampleSource) async throws -> [Float] {
        var samples: [Float] = []
        for try await chunk in source.chunks() {
            #expect(chunk.start == samples.count && (1...16_000).contains(chunk.samples.count))
            samples += chunk.samples
        }
        return samples
    }

    @Test("16 kHz samples are passed through, in chunks of one second", arguments: [0, 1, 16_000, 40_001])
    func chunks(count: Int) async throws {
        let input = (0..<count).map { Float($0 % 1000) / 1000 }
        let source = SampleSource(input)
        #expect(try await samples(source) == input)
        #expect(try await samples(source) == input)
        #expect(source.duration == .seconds(Double(count) / 16_000))
    }

    @Test("other rates are resampled to 16 kHz", arguments: [8000, 44_100, 48_000])
    func rates(rate: Int) async throws {
        let tone = { (rate: Int) in (0..<rate).map { Float(sin(2 * .pi * 440 * Double($0) / Double(rate))) } }
        let source = SampleSource(tone(rate), sampleRate: rate)
        let output = try await samples(source)
        let ideal = tone(16_000)
        #expect(source.duration == .seconds(1) && output.count == 16_000)
        #expect((200..<15_800).allSatisfy { abs(output[$0] - ideal[$0]) < 1e-3 })
    }
}
