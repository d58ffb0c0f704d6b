import Foundation
import Testing

@Suite("Speech segmentation")
struct SpeechSegmentationTests {
    @Test("segments equal those of silero-vad and faster-whisper", arguments: 0..<13)
    func golden(index: Int) throws {
        let fixture = try VoiceActivityFixture.load()
        #expect(fixture.segments.count == 13)
        let one = fixture.segments[index]
        let segments = one.rules.segments(fixture.probabilities, sampleCount: fixture.samples)
        #expect(segments == one.segments.map { $0[0]..<$0[1] }, "\(one.algorithm) \(one.options)")
    }

    @Test("segments lie within the recording, in order and disjoint, for any probabilities and rules")
    func properties() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<400 {
            var rules = SpeechSegmentation()
            rules.threshold = Float.random(in: 0...1, using: &generator)
            rules.minSpeechMilliseconds = Int.random(in: 0...400, using: &generator)
            rules.minSilenceMilliseconds = Int.random(in: 0...600, using: &generator)
            rules.padMilliseconds = Int.random(in: 0...500, using: &generator)
            rules.maxSpeechSeconds =
                Bool.random(using: &generator) ? .infinity : Double.random(in: 0...5, using: &generator)
            rules.splitsAtLongestSilence = Bool.random(using: &generator)
            let count = Int.random(in: 0...200, using: &generator)
            var level: Float = 0.5
            let probabilities = (0..<count).map { _ -> Float in
                level = min(1, max(0, level + Float.random(in: -0.4...0.4, using: &generator)))
                return level
            }
            let samples = max(0, count * 512 - Int.random(in: 0...511, using: &generator))
            var last = 0
            for segment in rules.segments(probabilities, sampleCount: samples) {
                #expect(segment.lowerBound >= last && !segment.isEmpty && segment.upperBound <= samples)
                last = segment.upperBound
            }
        }
    }

    @Test("no windows and silence produce no segments")
    func nothing() {
        #expect(SpeechSegmentation().segments([], sampleCount: 0).isEmpty)
        #expect(SpeechSegmentation().segments([Float](repeating: 0.1, count: 50), sampleCount: 25600).isEmpty)
    }
}

extension SpeechSegmentation {
    /// Returns the segments of speech in samples: in order, without overlap, padding included.
    ///
    /// - Parameters:
    ///   - probabilities: one per window of the recording.
    ///   - sampleCount: samples of the recording; the last window may be incomplete.
    func segments(_ probabilities: [Float], sampleCount: Int) -> [Range<Int>] {
        var segmenter = Segmenter(self)
        return probabilities.flatMap { segmenter.add($0) } + segmenter.finish(sampleCount: sampleCount)
    }
}
