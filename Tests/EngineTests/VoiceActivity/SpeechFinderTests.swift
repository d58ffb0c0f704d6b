import Foundation
import Testing
import WhisperEngine

@Suite("Speech finder")
struct SpeechFinderTests {
    private func found(_ options: VoiceActivityOptions, _ samples: [Float], pieces: Int) -> [Range<Int>] {
        var finder = SpeechFinder(options)
        var found: [Range<Int>] = []
        for start in stride(from: 0, to: samples.count, by: pieces) {
            found += finder.feed(Array(samples[start..<min(start + pieces, samples.count)]))
        }
        return found + finder.finish()
    }

    @Test("by loudness: bursts with the pads and silences asked for")
    func energy() {
        var options = VoiceActivityOptions(detector: .energy)
        options.minSilenceMilliseconds = 100
        options.speechPadMilliseconds = 100
        let segments = found(options, EnergyDetectorTests.samples, pieces: 1000)
        #expect(segments.count == 5)
        for (segment, burst) in zip(segments, EnergyDetectorTests.bursts.map(\.range)) {
            #expect(abs(segment.lowerBound - (burst.lowerBound - 1600)) <= 640)
            #expect(segment.upperBound >= burst.upperBound && segment.upperBound <= burst.upperBound + 2560)
        }
        options.minSilenceMilliseconds = 500
        #expect(found(options, EnergyDetectorTests.samples, pieces: 1000).count == 4)
        options.minSpeechMilliseconds = 1000
        #expect(found(options, EnergyDetectorTests.samples, pieces: 1000).count == 1)
        #expect(found(VoiceActivityOptions(), EnergyDetectorTests.samples, pieces: 1000).count == 2)
    }

    @Test("pieces change nothing", arguments: [1, 511, 512, 100_000])
    func pieces(size: Int) throws {
        let planted = try PlantedSilero.load()
        var options = VoiceActivityOptions(detector: .silero(try planted.network()))
        options.threshold = 0.36
        options.minSilenceMilliseconds = 0
        options.speechPadMilliseconds = 0
        let sound = Array(planted.sound[..<20_000])
        var rules = SpeechSegmentation()
        rules.threshold = 0.36
        rules.minSilenceMilliseconds = 0
        rules.padMilliseconds = 0
        let expected = rules.segments(sound.probabilities(by: try planted.network()), sampleCount: sound.count)
        #expect(!expected.isEmpty && found(options, sound, pieces: size) == expected)
    }

    @Test("speech is told as soon as what follows it is known, silence long over")
    func early() {
        var finder = SpeechFinder(VoiceActivityOptions(detector: .energy), defaultMinSilence: 160)
        let burst = (0..<8000).map { Float(0.3 * sin(Double($0) * 0.2)) }
        let silence = [Float](repeating: 0, count: 16_000)
        var told: [Int] = []
        for _ in 0..<5 { told.append(finder.feed(burst + silence).count) }
        #expect(told == [0, 1, 1, 1, 1])
        #expect(finder.finish().count == 1)
    }

    @Test("no sound and silence hold no speech")
    func nothing() throws {
        let options = VoiceActivityOptions(detector: .energy)
        #expect(found(options, [], pieces: 1).isEmpty)
        #expect(found(options, [Float](repeating: 0, count: 50_000), pieces: 320).isEmpty)
    }
}
