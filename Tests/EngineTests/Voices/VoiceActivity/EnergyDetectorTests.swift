import Foundation
import Testing

@Suite("Energy detector")
struct EnergyDetectorTests {
    /// Seeded noise with five tone bursts.
    static let bursts: [(range: Range<Int>, amplitude: Double, hertz: Double)] = [
        (32000..<56000, 3000, 440), (62400..<70400, 3000, 440), (96000..<100800, 600, 1000),
        (128000..<128640, 6000, 800), (184000..<192000, 3000, 440),
    ]

    static let integers: [Int] = {
        var state: UInt32 = 12345
        return (0..<192000).map { i in
            state = 1_664_525 &* state &+ 1_013_904_223
            var value = Int((state >> 16) % 67) - 33
            for burst in bursts where burst.range.contains(i) {
                let tone = burst.amplitude * sin(2 * Double.pi * burst.hertz * Double(i) / 16000)
                value += Int(tone.rounded(.toNearestOrEven))
            }
            return value
        }
    }()

    static let samples = integers.map { Float($0) / 32768 }
    static let segments = [26560..<73920, 90560..<104000, 122560..<132160, 178560..<192000]

    @Test("the test signal has the expected checksums")
    func vector() {
        #expect(Self.integers.reduce(0, +) == 1956)
        #expect(Self.integers.map(abs).reduce(0, +) == 83_090_750)
    }

    @Test(
        "frame levels have the expected values",
        arguments: [(0, -64.449), (1, -64.664), (2, -64.730), (100, -24.161), (120, -24.111)])
    func levels(frame: Int, expected: Double) throws {
        var meter = FrameLevelMeter()
        var position = 0
        var levels: [Double] = []
        while let level = meter.nextFrame(of: Self.samples, from: &position) { levels.append(level) }
        #expect(levels.count == 600)
        #expect(abs(levels[frame] - expected) < 0.0006)
    }

    @Test("speech is detected at the expected positions")
    func speech() {
        #expect(DetectorRun(EnergyDetector(), Self.samples, blocks: [192_000]).segments == Self.segments)
    }

    @Test(
        "block sizes do not change the events",
        arguments: [[1], [7], [319], [320], [321], [512, 3], [16000, 1, 4000]])
    func blocks(sizes: [Int]) {
        let whole = DetectorRun(EnergyDetector(), Self.samples, blocks: [192_000])
        #expect(DetectorRun(EnergyDetector(), Self.samples, blocks: sizes).events == whole.events)
    }

    @Test("voiced frames are in order and within open speech")
    func voiced() {
        let run = DetectorRun(EnergyDetector(), Self.samples, blocks: [192_000])
        var last = 0
        for range in run.voiced {
            #expect(range.lowerBound >= last && !range.isEmpty)
            #expect(run.segments.contains { $0.contains(range.lowerBound) && range.upperBound <= $0.upperBound })
            last = range.upperBound
        }
        // The third frame of the first burst opens speech; all frames of a burst are voiced, and so is the rest of its
        // last frame.
        #expect(run.voiced.first == 32000..<32320)
        let voicedSamples: Int = run.voiced.map(\.count).reduce(0, +)
        #expect(voicedSamples >= 45440)
    }

    @Test("feeding continues after finish, and speech does not start before it")
    func finishInTheMiddle() {
        var detector = EnergyDetector()
        var events = detector.feed(Array(Self.samples[..<40100]))
        #expect(detector.isSpeech)
        events += detector.finish()
        #expect(!detector.isSpeech && detector.finish().isEmpty)
        events += detector.feed(Array(Self.samples[40100...])) + detector.finish()
        let run = DetectorRun(events: events)
        #expect(run.segments[0] == 26560..<40100)
        #expect(run.segments[1].lowerBound == 40100 && run.segments[1].upperBound == 73920)
        #expect(Array(run.segments[2...]) == Array(Self.segments[1...]))
        #expect(run.voiced.allSatisfy { $0.upperBound <= 40100 || $0.lowerBound >= 40100 })
    }

    @Test("the silence that ends speech can be changed while the detector runs")
    func endSilence() {
        var detector = EnergyDetector()
        detector.setEndSilence(1600)
        var events = detector.feed(Array(Self.samples[..<62000]))
        // The last voiced frame ends at 56320; all of the 100 ms of silence are kept.
        #expect(DetectorRun(events: events).segments == [26560..<57920])
        // The gap of 1.6 s between the next two bursts no longer ends speech.
        detector.setEndSilence(32000)
        events = detector.feed(Array(Self.samples[62000..<120_000]))
        #expect(detector.isSpeech && DetectorRun(events: events).segments.isEmpty)
        // The silence so far counts.
        detector.setEndSilence(8000)
        events = detector.feed(Array(Self.samples[120_000..<120_320]))
        #expect(events.count == 1 && !detector.isSpeech)
    }

    @Test("reset clears the noise floor and keeps the positions")
    func reset() {
        // Loud noise hides the tones until the detector is reset.
        let loud: [Float] = (0..<160_000).map { (i: Int) -> Float in
            let value: Int = (i * 7919) % 2003 - 1001
            return Float(value) / 4096
        }
        var detector = EnergyDetector()
        _ = detector.feed(loud)
        _ = detector.finish()
        detector.reset()
        let events = detector.feed(Self.samples) + detector.finish()
        let segments: [Range<Int>] = DetectorRun(events: events).segments
        let expected: [Range<Int>] = Self.segments.map { $0.lowerBound + 160_000..<$0.upperBound + 160_000 }
        #expect(segments == expected)
    }

    @Test(
        "silence, constant values, NaN and infinity are not speech", arguments: [0, 0.5, Float.nan, .infinity, -1])
    func nothing(value: Float) {
        let run = DetectorRun(EnergyDetector(), [Float](repeating: value, count: 64000), blocks: [1000])
        // A step at the start counts as speech while the high-pass filter rings.
        #expect(run.segments.allSatisfy { $0.lowerBound == 0 && $0.upperBound < 8000 })
    }

    @Test("speech is detected after NaN samples")
    func afterNaN() {
        let broken = [Float](repeating: .nan, count: 32000)
        let run = DetectorRun(EnergyDetector(), broken + Self.samples, blocks: [500])
        #expect(run.segments.contains { $0.overlaps(64000..<88000) })
    }
}
