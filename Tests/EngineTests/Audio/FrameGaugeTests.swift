import Testing
import WhisperEngine

@Suite("Frame gauge")
struct FrameGaugeTests {
    private func losses(_ frames: [(size: Int, position: Int)]) -> [Double] {
        var gauge = LostFrameEstimator(largestFrame: 1441)
        return frames.map { gauge.lostFrames(size: $0.size, position: $0.position) }
    }

    @Test("frames one after the other lose nothing, whatever the reader takes at once")
    func whole() {
        let frames = (1...200).map { (size: 100, position: (($0 * 100) / 2048 + 1) * 2048) }
        #expect(losses(frames).allSatisfy { $0 == 0 })
    }

    @Test("bytes hung onto a frame are frames of the mean size")
    func hung() {
        let frames = (1...50).map { (size: 100, position: $0 * 100) } + [(size: 3100, position: 8100)]
        #expect(losses(frames).last == 30)
        #expect(losses(frames + [(size: 100, position: 8200)]).last == 0)
    }

    @Test("bytes passed over are frames of the mean size")
    func passed() {
        let frames = (1...50).map { (size: 100, position: $0 * 100) } + [(size: 100, position: 5100 + 4000)]
        #expect(losses(frames).last == 40)
        #expect(losses(frames + [(size: 100, position: 9200)]).last == 0)
    }

    @Test("loud frames after soft ones are no damage")
    func variable() {
        let soft = (1...50).map { (size: 60, position: $0 * 60) }
        let loud = (1...50).map { (size: 1440, position: 3000 + $0 * 1440) }
        #expect(losses(soft + loud).allSatisfy { $0 == 0 })
    }
}
