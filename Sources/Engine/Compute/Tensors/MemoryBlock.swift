import Glibc

/// Bytes with a fixed place in memory, aligned to 64, in large pages where they fit.
///
/// Invariant: the block lives as long as this object and is written only by the one who made it, before others see it.
@safe
final class MemoryBlock: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutableRawPointer

    /// Bytes of any content.
    init(count: Int) throws(ComputeError) {
        let bytes = max(64, count)
        var block: UnsafeMutableRawPointer?
        let isLarge = bytes >= 4 << 20
        guard count >= 0, unsafe posix_memalign(&block, isLarge ? 2 << 20 : 64, bytes) == 0, let block = unsafe block
        else { throw .outOfMemory(bytes: count) }
        if isLarge { unsafe madvise(block, bytes, Int32(MADV_HUGEPAGE)) }
        self.count = count
        unsafe base = block
    }

    deinit { unsafe free(base) }
}
