import Testing
import WhisperEngine

@Suite("FFmpeg clock")
struct FFmpegClockTests {
    private typealias Step = FFmpegTimeline.Step

    @Test("times count from the first frame, wherever that stands")
    func origin() {
        var clock = FFmpegTimeline(hasTimestamps: true, isLeaping: false)
        #expect(clock.place(at: 10_800, length: 1) == Step())
        #expect(clock.place(at: 10_801, length: 1) == Step())
        #expect(clock.position == 2)
    }

    @Test("a gap is filled from half a second on, rounding is not")
    func gap() {
        var clock = FFmpegTimeline(hasTimestamps: true, isLeaping: false)
        _ = clock.place(at: 0, length: 1)
        #expect(clock.place(at: 1.4, length: 1) == Step())
        #expect(clock.place(at: 4, length: 1) == Step(silence: 2, leap: 2))
        #expect(clock.place(at: 5, length: 1) == Step())
        #expect(clock.position == 6)
    }

    @Test("what is told twice is dropped, up to where it was heard")
    func overlap() {
        var clock = FFmpegTimeline(hasTimestamps: true, isLeaping: false)
        for second in 0..<5 { _ = clock.place(at: Double(second), length: 1) }
        #expect(clock.place(at: 2, length: 1) == Step(isDropped: true, leap: 5))
        #expect(clock.place(at: 3, length: 1) == Step(isDropped: true))
        #expect(clock.place(at: 4, length: 1) == Step(isDropped: true))
        #expect(clock.place(at: 5, length: 1) == Step())
        #expect(clock.position == 6)
    }

    @Test("a clock set anew loses nothing and fills nothing", arguments: [-5000.0, 5000, 1e12])
    func leap(to stamp: Double) {
        var clock = FFmpegTimeline(hasTimestamps: true, isLeaping: true)
        _ = clock.place(at: 100, length: 1)
        #expect(clock.place(at: stamp, length: 1) == Step(leap: 1))
        #expect(clock.place(at: stamp + 1, length: 1) == Step())
        #expect(clock.position == 3)
    }

    @Test("damaged data is replaced by what is missing, however short")
    func damage() {
        var clock = FFmpegTimeline(hasTimestamps: true, isLeaping: false)
        _ = clock.place(at: 0, length: 1)
        clock.addDamage(0.02)
        clock.addDamage(0.02)
        let step = clock.place(at: 1.25, length: 1)
        #expect(step == Step(silence: 0.25))
        #expect(clock.damagedSeconds == 0.25)
        clock.addDamage(0.5)
        #expect(clock.trailingDamage() == 0.5)
        #expect(clock.position == 2.75)
    }

    @Test("without timestamps the packets' own lengths tell")
    func noTimestamps() {
        var clock = FFmpegTimeline(hasTimestamps: false, isLeaping: false)
        _ = clock.place(at: 7, length: 1)
        #expect(clock.place(at: 99, length: 1) == Step())
        clock.addDamage(0.1)
        #expect(clock.place(at: nil, length: 1) == Step(silence: 0.1))
        clock.addDamage(-3)
        clock.addDamage(.nan)
        #expect(clock.place(at: nil, length: 1).silence == 0)
    }
}
