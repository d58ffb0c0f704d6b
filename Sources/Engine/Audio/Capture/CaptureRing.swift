import Synchronization

/// Samples on their way from the thread that captures to whoever listens: one writes, one reads, neither waits.
///
/// Only the writer moves `written`, only the reader moves `taken`; each releases what the other acquires, so that a slot
/// is never written and read at once.
package final class CaptureRing: Sendable {
    /// A power of two: 4.1 s.
    package static let capacity = 65_536

    private let slots: InlineArray<65_536, Atomic<Int16>>
    private let writtenCount = Atomic<UInt64>(0)
    private let takenCount = Atomic<UInt64>(0)

    package init() { slots = InlineArray { _ in Atomic(0) } }

    /// Samples written since the start; for the reader and the writer.
    package var written: UInt64 { writtenCount.load(ordering: .acquiring) }
    /// Samples taken since the start.
    package var taken: UInt64 { takenCount.load(ordering: .acquiring) }
    /// How many samples can be written now, for the writer.
    package var room: Int { Self.capacity - Int(written - taken) }

    /// Writes the first `count` samples, as many of them as there is room for.
    ///
    /// - Returns: how many.
    @discardableResult
    package func write(_ samples: [Int16], count: Int) -> Int {
        let start = writtenCount.load(ordering: .relaxed)
        let count = max(0, min(count, samples.count, room))
        for index in 0..<count {
            slots[Self.slot(start &+ UInt64(index))].store(samples[index], ordering: .relaxed)
        }
        writtenCount.store(start &+ UInt64(count), ordering: .releasing)
        return count
    }

    /// Takes the samples before `end`, as far as they are written, as numbers of full scale ±1.
    package func take(before end: UInt64 = .max) -> [Float] {
        let start = takenCount.load(ordering: .relaxed)
        let end = min(end, written)
        guard end > start else { return [] }
        let samples = (start..<end).map { Float(slots[Self.slot($0)].load(ordering: .relaxed)) / 32_768 }
        takenCount.store(end, ordering: .releasing)
        return samples
    }

    private static func slot(_ position: UInt64) -> Int { Int(position & UInt64(capacity - 1)) }
}
