import Foundation
import Testing

@Suite("Speech finder")
struct SpeechFinderTests {
    private func segments(_ options: VoiceActivityOptions, _ samples: [Float], block: Int) -> [Range<Int>] {
        var finder = SpeechFinder(options)
        var segments: [Range<Int>] = []
        for start in stride(from: 0, to: samples.count, by: block) {
            segments += finder.feed(Array(samples[start..<min(start + block, samples.count)]))
        }
        return segments + finder.finish()
    }

    @Test("the energy detector finds the bursts, with the given padding and minimum silence")
    func energy() {
        var options = VoiceActivityOptions(detector: .energy)
        options.minSilenceMilliseconds = 100
        options.speechPadMilliseconds = 100
        let samples = EnergyDetectorTests.samples
        let found = segments(options, samples, block: 1000)
        #expect(found.count == 5)
        for (segment, burst) in zip(found, EnergyDetectorTests.bursts.map(\.range)) {
            #expect(abs(segment.lowerBound - (burst.lowerBound - 1600)) <= 640)
            #expect(segment.upperBound >= burst.upperBound && segment.upperBound <= burst.upperBound + 2560)
        }
        options.minSilenceMilliseconds = 500
        #expect(segments(options, samples, block: 1000).count == 4)
        options.minSpeechMilliseconds = 1000
        #expect(segments(options, samples, block: 1000).count == 1)
        #expect(segments(VoiceActivityOptions(), samples, block: 1000).count == 2)
    }

    @Test("block sizes do not change the segments", arguments: [1, 511, 512, 100_000])
    func blocks(size: Int) throws {
        let planted = try PlantedSilero.load()
        var options = VoiceActivityOptions(detector: .silero(try planted.network(), threshold: 0.36))
        options.minSilenceMilliseconds = 0
        options.speechPadMilliseconds = 0
        let samples = Array(planted.samples[..<20_000])
        var rules = SpeechSegmentation()
        rules.threshold = 0.36
        rules.minSilenceMilliseconds = 0
        rules.padMilliseconds = 0
        let expected = rules.segments(samples.probabilities(by: try planted.network()), sampleCount: samples.count)
        #expect(!expected.isEmpty && segments(options, samples, block: size) == expected)
    }

    @Test("the end threshold and the longest speech of the options apply")
    func limits() throws {
        let planted = try PlantedSilero.load()
        let network = try planted.network()
        var options = VoiceActivityOptions(detector: .silero(network, threshold: 0.36))
        (options.minSilenceMilliseconds, options.speechPadMilliseconds) = (0, 0)
        (options.endThreshold, options.maxSpeechSeconds) = (0.35, 0.5)
        let samples = Array(planted.samples[..<20_000])
        var rules = SpeechSegmentation()
        (rules.threshold, rules.minSilenceMilliseconds, rules.padMilliseconds) = (0.36, 0, 0)
        (rules.endThreshold, rules.maxSpeechSeconds) = (0.35, 0.5)
        let expected = rules.segments(samples.probabilities(by: network), sampleCount: samples.count)
        #expect(segments(options, samples, block: 1000) == expected)
    }

    @Test("a segment is returned as soon as the silence after it is long enough")
    func early() {
        var finder = SpeechFinder(VoiceActivityOptions(detector: .energy), defaultMinSilence: 160)
        let burst = (0..<8000).map { Float(0.3 * sin(Double($0) * 0.2)) }
        let silence = [Float](repeating: 0, count: 16_000)
        var counts: [Int] = []
        for _ in 0..<5 { counts.append(finder.feed(burst + silence).count) }
        #expect(counts == [0, 1, 1, 1, 1])
        #expect(finder.finish().count == 1)
    }

    @Test("no samples and silence produce no segments")
    func nothing() throws {
        let options = VoiceActivityOptions(detector: .energy)
        #expect(segments(options, [], block: 1).isEmpty)
        #expect(segments(options, [Float](repeating: 0, count: 50_000), block: 320).isEmpty)
    }
}
