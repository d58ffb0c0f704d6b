import Testing
import WhisperEngine

@Suite("Speech map")
struct SpeechIntervalsTests {
    private static func map(_ spans: [Range<Int>]) -> SpeechIntervals {
        var map = SpeechIntervals()
        for span in spans {
            map.add([.opened(at: span.lowerBound), .voiced(span), .closed(at: span.upperBound)])
        }
        return map
    }

    @Test("holds every frame of 10 ms that has speech in it")
    func frames() {
        let map = Self.map([100..<1601, 3200..<3360, 3360..<3520, 9999..<9999])
        #expect(map.ranges == [0..<11, 20..<22])
        #expect(map.count(in: 0..<100) == 13)
        #expect(map.count(in: 10..<21) == 2)
        #expect(map.count(in: 11..<20) == 0)
        #expect(map.count(in: 5..<5) == 0)
    }

    @Test("finds the next speech, and windows that begin with some")
    func windows() {
        let map = Self.map([16_000..<32_000, 800_000..<1_600_000])
        #expect(map.firstSpeech(from: 0) == 100)
        #expect(map.firstSpeech(from: 150) == 150)
        #expect(map.firstSpeech(from: 200) == 5000)
        #expect(map.firstSpeech(from: 10_000) == nil)
        #expect(map.windowStarts(ofFrames: 3000, limit: 3) == [100, 5000, 8000])
        #expect(map.windowStarts(ofFrames: 3000, limit: 2) == [100, 5000])
        #expect(SpeechIntervals().windowStarts(ofFrames: 3000, limit: 3) == [])
    }
}
