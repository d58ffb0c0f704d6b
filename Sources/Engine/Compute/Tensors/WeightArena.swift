import Synchronization

/// Memory for the weights of a model: mappings of several weights each, because most weights of a small model have less
/// than a huge page.
final class WeightArena: Sendable {
    private struct Slab {
        let pages: PageMapping
        var used = 0
    }

    private let slabs = Mutex<[Slab]>([])

    /// Address space; memory is only used as far as weights fill it.
    private static let slabBytes = 16 << 20
    private static let alignment = 64

    /// Returns `count` zeros. A mapping is released with the last of its blocks and this arena.
    func block(count: Int) throws(ComputeError) -> MemoryBlock {
        let (rounded, overflow) = max(1, count).addingReportingOverflow(Self.alignment - 1)
        guard count >= 0, !overflow else { throw .outOfMemory(bytes: count) }
        let bytes = rounded / Self.alignment * Self.alignment
        return try slabs.withLock { slabs throws(ComputeError) in
            // Earlier mappings may have room for a small weight.
            if let index = slabs.firstIndex(where: { $0.pages.count - $0.used >= bytes }) {
                defer { slabs[index].used += bytes }
                return MemoryBlock(count: count, at: slabs[index].used, of: slabs[index].pages)
            }
            let pages = try PageMapping(count: max(bytes, Self.slabBytes))
            slabs.append(Slab(pages: pages, used: bytes))
            return MemoryBlock(count: count, at: 0, of: pages)
        }
    }
}
