import Foundation
import Testing

@Suite("Silero detector")
struct SileroDetectorTests {
    /// The generated weights give probabilities around this value.
    private static let threshold: Float = 0.36

    private func whole() throws -> (SileroNetwork, [Float], DetectorRun) {
        let planted = try PlantedSilero.load()
        let network = try planted.network()
        // The generated signal, a second of silence, and the signal again.
        let samples = planted.samples + [Float](repeating: 0, count: 16_000) + planted.samples
        return (
            network, samples,
            DetectorRun(SileroDetector(network, threshold: Self.threshold), samples, blocks: [samples.count])
        )
    }

    @Test(
        "block sizes do not change the events",
        arguments: [[1], [100], [511], [512], [513, 2], [16000]])
    func blocks(sizes: [Int]) throws {
        let (network, samples, whole) = try whole()
        #expect(!whole.segments.isEmpty)
        let run = DetectorRun(SileroDetector(network, threshold: Self.threshold), samples, blocks: sizes)
        #expect(run.events == whole.events)
    }

    /// The segments that the rules of the detector give, by their definition.
    private static func segments(
        of samples: [Float], by network: SileroNetwork, endSilence: Int = 8000
    ) -> [Range<Int>] {
        var expected: [Range<Int>] = []
        var start: Int?
        var pause: Int?
        let probabilities = samples.probabilities(by: network).dropLast(samples.count % 512 == 0 ? 0 : 1)
        for (index, p) in probabilities.enumerated() {
            let at = index * 512
            if p >= Self.threshold {
                pause = nil
                start = start ?? max(at - 4800, expected.last?.upperBound ?? 0)
            } else if p < Self.threshold - 0.15, let open = start {
                pause = pause ?? at
                if let begin = pause, at - begin >= endSilence {
                    expected.append(open..<(begin + min(3200, endSilence)))
                    (start, pause) = (nil, nil)
                }
            }
        }
        if let start { expected.append(start..<samples.count) }
        return expected
    }

    @Test("the threshold and the silence that ends speech can be changed", arguments: [1600, 4000, 16_000])
    func changes(endSilence: Int) throws {
        let (network, samples, _) = try whole()
        var detector = SileroDetector(network, threshold: 0.9)
        detector.setThreshold(Self.threshold)
        detector.setEndSilence(endSilence)
        let run = DetectorRun(detector, samples, blocks: [1000])
        #expect(run.segments == Self.segments(of: samples, by: network, endSilence: endSilence))
    }

    @Test("speech opens 300 ms before its first window and, after 500 ms of silence, closes 200 ms into it")
    func hysteresis() throws {
        let (network, samples, run) = try whole()
        #expect(run.segments == Self.segments(of: samples, by: network))
        var last = 0
        for range in run.voiced {
            #expect(range.lowerBound >= last && !range.isEmpty)
            #expect(run.segments.contains { $0.contains(range.lowerBound) && range.upperBound <= $0.upperBound })
            last = range.upperBound
        }
    }

    @Test("reset clears the network's state and keeps the positions")
    func reset() throws {
        let planted = try PlantedSilero.load()
        let network = try planted.network()
        let samples = planted.samples
        var detector = SileroDetector(network, threshold: Self.threshold)
        _ = detector.feed(Array(samples[..<(512 * 20)])) + detector.finish()
        detector.reset()
        let again = DetectorRun(events: detector.feed(samples) + detector.finish()).voiced
        let other = SileroDetector(network, threshold: Self.threshold)
        let fresh = DetectorRun(other, samples, blocks: [samples.count]).voiced
        #expect(!fresh.isEmpty)
        #expect(again.map(\.lowerBound) == fresh.map { $0.lowerBound + 512 * 20 })
    }

    @Test("NaN samples count as zeros")
    func notANumber() throws {
        let network = try PlantedSilero.load().network()
        let zeros = DetectorRun(
            SileroDetector(network, threshold: 0.01), [Float](repeating: 0, count: 8192), blocks: [8192])
        let nothing = DetectorRun(
            SileroDetector(network, threshold: 0.01), [Float](repeating: .nan, count: 8192), blocks: [8192])
        #expect(!zeros.events.isEmpty)
        #expect(zeros.events == nothing.events)
    }

    @Test(
        "the published weights detect speech where it was spoken",
        .enabled(if: VoiceActivityFixture.weights != nil, RealSpeech.reason))
    func published() async throws {
        let network = try SileroNetwork(try #require(VoiceActivityFixture.weights))
        let samples = try await VoiceActivityFixture.clip()
        let run = DetectorRun(SileroDetector(network), samples, blocks: [1000])
        // Sentences more than 700 ms apart.
        for spoken in [16000..<98666, 104266..<127500, 168480..<178656, 194592..<237536] {
            #expect(run.segments.contains { $0.lowerBound <= spoken.lowerBound && $0.overlaps(spoken) })
        }
        #expect(!run.segments.contains { $0.overlaps(140_000..<160_000) })
        // Any block sizes, including the 20 ms blocks of a live session.
        for seed in 0..<UInt64(20) {
            var random = SplitMix64(seed: seed)
            let sizes = (0..<7).map { _ in Int.random(in: 1...5_000, using: &random) }
            let gain = Float.random(in: 0.2...1, using: &random)
            let other = samples.map { $0 * gain }
            let whole = DetectorRun(SileroDetector(network), other, blocks: [other.count])
            #expect(DetectorRun(SileroDetector(network), other, blocks: sizes).events == whole.events, "\(sizes)")
            #expect(DetectorRun(SileroDetector(network), other, blocks: [320]).events == whole.events)
            let silence = (0..<48_000).map { _ in Float.random(in: -0.001...0.001, using: &random) }
            #expect(DetectorRun(SileroDetector(network), silence, blocks: sizes).events.isEmpty, "seed \(seed)")
        }
    }
}
