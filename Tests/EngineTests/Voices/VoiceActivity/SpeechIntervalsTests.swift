import Testing

@Suite("Speech intervals")
struct SpeechIntervalsTests {
    private static func intervals(_ ranges: [Range<Int>]) -> SpeechIntervals {
        var intervals = SpeechIntervals()
        for range in ranges {
            intervals.add([.opened(at: range.lowerBound), .voiced(range), .closed(at: range.upperBound)])
        }
        return intervals
    }

    @Test("every 10 ms frame with speech in it is included")
    func frames() {
        let intervals = Self.intervals([100..<1601, 3200..<3360, 3360..<3520, 9999..<9999])
        #expect(intervals.ranges == [0..<11, 20..<22])
        #expect(intervals.count(in: 0..<100) == 13)
        #expect(intervals.count(in: 10..<21) == 2)
        #expect(intervals.count(in: 11..<20) == 0)
        #expect(intervals.count(in: 5..<5) == 0)
    }

    @Test("the speech within a clip counts from the clip's start")
    func clip() {
        let intervals = Self.intervals([16_000..<32_000, 48_000..<64_000])
        #expect(intervals.within(24_000..<49_000).ranges == [0..<50, 150..<157])
        #expect(intervals.within(32_000..<48_000).ranges == [])
        #expect(intervals.within(0..<80_000) == intervals)
    }

    @Test("windows start at the next speech")
    func windows() {
        let intervals = Self.intervals([16_000..<32_000, 800_000..<1_600_000])
        #expect(intervals.firstSpeech(from: 0) == 100)
        #expect(intervals.firstSpeech(from: 150) == 150)
        #expect(intervals.firstSpeech(from: 200) == 5000)
        #expect(intervals.firstSpeech(from: 10_000) == nil)
        #expect(intervals.windowStarts(ofFrames: 3000, limit: 3) == [100, 5000, 8000])
        #expect(intervals.windowStarts(ofFrames: 3000, limit: 2) == [100, 5000])
        #expect(SpeechIntervals().windowStarts(ofFrames: 3000, limit: 3) == [])
    }
}
