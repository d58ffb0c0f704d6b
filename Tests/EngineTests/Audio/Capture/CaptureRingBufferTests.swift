import Foundation
import Testing

@Suite("Capture ring buffer")
struct CaptureRingTests {
    let ring = CaptureRingBuffer()

    static func word(_ position: Int) -> Int16 { Int16(truncatingIfNeeded: position &* 31_337) }
    static func number(_ position: Int) -> Float { Float(word(position)) / 32_768 }

    @Test("written samples are read once, in order, scaled to ±1")
    func order() {
        #expect(ring.read() == [])
        #expect(ring.write([1, -32_768, 32_767, 5], count: 3) == 3)
        #expect(ring.read(before: 1) == [1 / 32_768] as [Float])
        #expect(ring.read(before: 1) == [])
        #expect(ring.read() == [-1, 32_767 / 32_768] as [Float])
        #expect(ring.read() == [])
        #expect(ring.written == 3 && ring.consumed == 3)
    }

    @Test("it holds exactly its capacity")
    func full() {
        let samples = (0..<70_000).map(Self.word)
        #expect(ring.write(samples, count: 70_000) == 65_536)
        #expect(ring.freeCount == 0)
        #expect(ring.write([1], count: 1) == 0)
        #expect(ring.read(before: 10).count == 10)
        #expect(ring.freeCount == 10)
        #expect(ring.write(Array(samples[65_536..<65_560]), count: 24) == 10)
        #expect(ring.read() == (10..<65_546).map(Self.number))
    }

    @Test("a count beyond the samples given, or below zero, is clamped")
    func counts() {
        #expect(ring.write([1, 2], count: 3) == 2)
        #expect(ring.write([1, 2], count: -1) == 0)
    }

    @Test("two concurrent threads lose, repeat and reorder no samples", arguments: [1, 2, 3] as [UInt64])
    func threads(seed: UInt64) {
        let total = 2_000_000
        let ring = ring
        Thread.detachNewThread {
            var numbers = SplitMix64(seed: seed)
            var written = 0
            while written < total {
                let count = min(Int.random(in: 1...3000, using: &numbers), total - written)
                let accepted = ring.write((written..<(written + count)).map(Self.word), count: count)
                written += accepted
                if accepted < count { sched_yield() }
            }
        }
        var numbers = SplitMix64(seed: seed &+ 100)
        var position = 0
        var wrong = 0
        while position < total {
            let samples = ring.read(before: UInt64(position + Int.random(in: 1...5000, using: &numbers)))
            for sample in samples {
                if sample != Self.number(position) { wrong += 1 }
                position += 1
            }
            if samples.isEmpty { sched_yield() }
        }
        #expect(wrong == 0)
        #expect(ring.consumed == UInt64(total))
    }
}
