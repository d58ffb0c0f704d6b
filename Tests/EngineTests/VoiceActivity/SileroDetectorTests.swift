import Foundation
import Testing
import WhisperEngine

@Suite("Silero detector")
struct SileroDetectorTests {
    /// Planted weights give probabilities around this one.
    private static let threshold: Float = 0.36

    private func whole() throws -> (SileroNetwork, [Float], DetectorRun) {
        let planted = try PlantedSilero.load()
        let network = try planted.network()
        // With hours of hang, the pauses of noise do not count: silence ends the speech.
        let sound = planted.sound + [Float](repeating: 0, count: 16_000) + planted.sound
        return (
            network, sound,
            DetectorRun(SileroDetector(network, threshold: Self.threshold), sound, pieces: [sound.count])
        )
    }

    @Test(
        "what is found does not depend on how the sound is cut",
        arguments: [[1], [100], [511], [512], [513, 2], [16000]])
    func pieces(sizes: [Int]) throws {
        let (network, sound, whole) = try whole()
        #expect(!whole.segments.isEmpty)
        #expect(
            DetectorRun(SileroDetector(network, threshold: Self.threshold), sound, pieces: sizes).events == whole.events
        )
    }

    @Test("speech opens 300 ms before its first window and closes 200 ms into 500 ms of silence")
    func hysteresis() throws {
        let (network, sound, run) = try whole()
        var expected: [Range<Int>] = []
        var start: Int?
        var pause: Int?
        for (index, p) in sound.probabilities(by: network).dropLast(sound.count % 512 == 0 ? 0 : 1).enumerated() {
            let at = index * 512
            if p >= Self.threshold {
                pause = nil
                start = start ?? max(at - 4800, expected.last?.upperBound ?? 0)
            } else if p < Self.threshold - 0.15, let open = start {
                pause = pause ?? at
                if let begin = pause, at - begin >= 8000 {
                    expected.append(open..<(begin + 3200))
                    (start, pause) = (nil, nil)
                }
            }
        }
        if let start { expected.append(start..<sound.count) }
        #expect(run.segments == expected)
        var last = 0
        for range in run.voiced {
            #expect(range.lowerBound >= last && !range.isEmpty)
            #expect(run.segments.contains { $0.contains(range.lowerBound) && range.upperBound <= $0.upperBound })
            last = range.upperBound
        }
    }

    @Test("a reset forgets the sound before and keeps the positions")
    func reset() throws {
        let planted = try PlantedSilero.load()
        let network = try planted.network()
        let sound = planted.sound
        var detector = SileroDetector(network, threshold: Self.threshold)
        _ = detector.feed(Array(sound[..<(512 * 20)])) + detector.finish()
        detector.reset()
        let again = DetectorRun(events: detector.feed(sound) + detector.finish()).voiced
        let fresh = DetectorRun(SileroDetector(network, threshold: Self.threshold), sound, pieces: [sound.count]).voiced
        #expect(!fresh.isEmpty)
        #expect(again.map(\.lowerBound) == fresh.map { $0.lowerBound + 512 * 20 })
    }

    @Test("what is no number is no sound")
    func noNumbers() throws {
        let network = try PlantedSilero.load().network()
        let zeros = DetectorRun(
            SileroDetector(network, threshold: 0.01), [Float](repeating: 0, count: 8192), pieces: [8192])
        let nothing = DetectorRun(
            SileroDetector(network, threshold: 0.01), [Float](repeating: .nan, count: 8192), pieces: [8192])
        #expect(zeros.events == nothing.events)
    }

    @Test(
        "with the published weights speech is found where it was spoken",
        .enabled(if: VoiceActivityFixture.weights != nil, VoiceActivityFixture.byHand))
    func published() async throws {
        let network = try SileroNetwork(try #require(VoiceActivityFixture.weights))
        let samples = try await VoiceActivityFixture.clip()
        let run = DetectorRun(SileroDetector(network), samples, pieces: [1000])
        // Sentences with more than 700 ms between them.
        for spoken in [16000..<98666, 104266..<127500, 168480..<178656, 194592..<237536] {
            #expect(run.segments.contains { $0.lowerBound <= spoken.lowerBound && $0.overlaps(spoken) })
        }
        #expect(!run.segments.contains { $0.overlaps(140_000..<160_000) })
        // However the sound is cut, and through a live session's pieces of 20 ms.
        for seed in 0..<UInt64(20) {
            var random = SplitMix64(seed: seed)
            let sizes = (0..<7).map { _ in Int.random(in: 1...5_000, using: &random) }
            let gain = Float.random(in: 0.2...1, using: &random)
            let other = samples.map { $0 * gain }
            let whole = DetectorRun(SileroDetector(network), other, pieces: [other.count])
            #expect(DetectorRun(SileroDetector(network), other, pieces: sizes).events == whole.events, "\(sizes)")
            #expect(DetectorRun(SileroDetector(network), other, pieces: [320]).events == whole.events)
            let silence = (0..<48_000).map { _ in Float.random(in: -0.001...0.001, using: &random) }
            #expect(DetectorRun(SileroDetector(network), silence, pieces: sizes).events.isEmpty, "seed \(seed)")
        }
    }
}
