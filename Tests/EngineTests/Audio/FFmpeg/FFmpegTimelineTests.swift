import Testing

@Suite("FFmpeg timeline")
struct FFmpegTimelineTests {
    private typealias Placement = FFmpegTimeline.Placement

    @Test("times count from the first frame, whatever its timestamp")
    func origin() {
        var timeline = FFmpegTimeline(hasTimestamps: true, allowsClockJumps: false)
        #expect(timeline.place(at: 10_800, length: 1) == Placement())
        #expect(timeline.place(at: 10_801, length: 1) == Placement())
        #expect(timeline.position == 2)
    }

    @Test("gaps over half a second are filled, rounding is not")
    func gap() {
        var timeline = FFmpegTimeline(hasTimestamps: true, allowsClockJumps: false)
        _ = timeline.place(at: 0, length: 1)
        #expect(timeline.place(at: 1.4, length: 1) == Placement())
        #expect(timeline.place(at: 4, length: 1) == Placement(silence: 2, jump: 2))
        #expect(timeline.place(at: 5, length: 1) == Placement())
        #expect(timeline.position == 6)
    }

    @Test("repeated audio is dropped")
    func overlap() {
        var timeline = FFmpegTimeline(hasTimestamps: true, allowsClockJumps: false)
        for second in 0..<5 { _ = timeline.place(at: Double(second), length: 1) }
        #expect(timeline.place(at: 2, length: 1) == Placement(isDropped: true, jump: 5))
        #expect(timeline.place(at: 3, length: 1) == Placement(isDropped: true))
        #expect(timeline.place(at: 4, length: 1) == Placement(isDropped: true))
        #expect(timeline.place(at: 5, length: 1) == Placement())
        #expect(timeline.position == 6)
    }

    @Test("a clock reset drops and fills nothing", arguments: [-5000.0, 5000, 1e12])
    func clockReset(to stamp: Double) {
        var timeline = FFmpegTimeline(hasTimestamps: true, allowsClockJumps: true)
        _ = timeline.place(at: 100, length: 1)
        #expect(timeline.place(at: stamp, length: 1) == Placement(jump: 1))
        #expect(timeline.place(at: stamp + 1, length: 1) == Placement())
        #expect(timeline.position == 3)
    }

    @Test("damaged data is replaced by silence of the missing length, however short")
    func damage() {
        var timeline = FFmpegTimeline(hasTimestamps: true, allowsClockJumps: false)
        _ = timeline.place(at: 0, length: 1)
        timeline.addDamage(0.02)
        timeline.addDamage(0.02)
        let placement = timeline.place(at: 1.25, length: 1)
        #expect(placement == Placement(silence: 0.25))
        #expect(timeline.damagedSeconds == 0.25)
        timeline.addDamage(0.5)
        #expect(timeline.trailingDamage() == 0.5)
        #expect(timeline.position == 2.75)
    }

    @Test("without timestamps, damage has the length of its packets")
    func noTimestamps() {
        var timeline = FFmpegTimeline(hasTimestamps: false, allowsClockJumps: false)
        _ = timeline.place(at: 7, length: 1)
        #expect(timeline.place(at: 99, length: 1) == Placement())
        timeline.addDamage(0.1)
        #expect(timeline.place(at: nil, length: 1) == Placement(silence: 0.1))
        timeline.addDamage(-3)
        timeline.addDamage(.nan)
        #expect(timeline.place(at: nil, length: 1).silence == 0)
    }
}

@Suite("Lost frames in raw streams")
struct LostFrameEstimatorTests {
    private func losses(_ frames: [(size: Int, position: Int)]) -> [Double] {
        var estimator = LostFrameEstimator(largestFrame: 1441)
        return frames.map { estimator.lostFrames(size: $0.size, position: $0.position) }
    }

    @Test("consecutive frames lose nothing, however far the demuxer reads ahead")
    func whole() {
        let frames = (1...200).map { (size: 100, position: (($0 * 100) / 2048 + 1) * 2048) }
        #expect(losses(frames).allSatisfy { $0 == 0 })
    }

    @Test("bytes appended to a frame count as frames of the mean size")
    func appended() {
        let frames = (1...50).map { (size: 100, position: $0 * 100) } + [(size: 3100, position: 8100)]
        #expect(losses(frames).last == 30)
        #expect(losses(frames + [(size: 100, position: 8200)]).last == 0)
    }

    @Test("skipped bytes count as frames of the mean size")
    func skipped() {
        let frames = (1...50).map { (size: 100, position: $0 * 100) } + [(size: 100, position: 5100 + 4000)]
        #expect(losses(frames).last == 40)
        #expect(losses(frames + [(size: 100, position: 9200)]).last == 0)
    }

    @Test("large frames after small ones are not damage")
    func variable() {
        let small = (1...50).map { (size: 60, position: $0 * 60) }
        let large = (1...50).map { (size: 1440, position: 3000 + $0 * 1440) }
        #expect(losses(small + large).allSatisfy { $0 == 0 })
    }
}
