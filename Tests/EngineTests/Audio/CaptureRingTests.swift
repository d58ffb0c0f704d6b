import Foundation
import Testing
import WhisperEngine

@Suite("Capture ring")
struct CaptureRingTests {
    let ring = CaptureRingBuffer()

    static func word(_ position: Int) -> Int16 { Int16(truncatingIfNeeded: position &* 31_337) }
    static func number(_ position: Int) -> Float { Float(word(position)) / 32_768 }

    @Test("what is written is taken once, in order, as numbers of full scale 1")
    func order() {
        #expect(ring.take() == [])
        #expect(ring.write([1, -32_768, 32_767, 5], count: 3) == 3)
        #expect(ring.take(before: 1) == [1.0 / 32_768])
        #expect(ring.take(before: 1) == [])
        #expect(ring.take() == [-1, 32_767.0 / 32_768])
        #expect(ring.take() == [])
        #expect(ring.written == 3 && ring.taken == 3)
    }

    @Test("it holds its size and not a sample more")
    func full() {
        let samples = (0..<70_000).map(Self.word)
        #expect(ring.write(samples, count: 70_000) == 65_536)
        #expect(ring.room == 0)
        #expect(ring.write([1], count: 1) == 0)
        #expect(ring.take(before: 10).count == 10)
        #expect(ring.room == 10)
        #expect(ring.write(Array(samples[65_536..<65_560]), count: 24) == 10)
        #expect(ring.take() == (10..<65_546).map(Self.number))
    }

    @Test("more samples than there are, or fewer than none, are not written")
    func counts() {
        #expect(ring.write([1, 2], count: 3) == 2)
        #expect(ring.write([1, 2], count: -1) == 0)
    }

    @Test("two threads in a hurry lose, double and mix up nothing", arguments: [1, 2, 3] as [UInt64])
    func threads(seed: UInt64) {
        let total = 2_000_000
        let ring = ring
        Thread.detachNewThread {
            var numbers = FixedNumbers(state: seed)
            var written = 0
            while written < total {
                let count = min(Int.random(in: 1...3000, using: &numbers), total - written)
                let accepted = ring.write((written..<(written + count)).map(Self.word), count: count)
                written += accepted
                if accepted < count { sched_yield() }
            }
        }
        var numbers = FixedNumbers(state: seed &+ 100)
        var position = 0
        var wrong = 0
        while position < total {
            let samples = ring.take(before: UInt64(position + Int.random(in: 1...5000, using: &numbers)))
            for sample in samples {
                if sample != Self.number(position) { wrong += 1 }
                position += 1
            }
            if samples.isEmpty { sched_yield() }
        }
        #expect(wrong == 0)
        #expect(ring.taken == UInt64(total))
    }
}
