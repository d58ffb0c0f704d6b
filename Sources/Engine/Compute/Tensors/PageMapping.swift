import Glibc

/// Zeroed memory mapped from the system, so that running out of it is an error here and not a crash later. Pages are
/// cleared when they are first touched.
///
/// Invariant: this object owns the mapping.
@safe
final class PageMapping: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutableRawPointer

    private static let hugePage = 2 << 20

    /// - Parameters:
    ///   - count: the number of bytes, at least 1.
    ///   - isSparse: whether most of the memory may never be touched.
    init(count: Int, isSparse: Bool = false) throws(ComputeError) {
        // Huge pages are faster to fault in and cause fewer TLB misses. They start at multiples of their size.
        let aligns = !isSparse && count >= 2 * Self.hugePage
        let bytes = (count + Self.page - 1) / Self.page * Self.page
        let mapped = aligns ? bytes + Self.hugePage : bytes
        let block = unsafe mmap(nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let block = unsafe block, unsafe block != MAP_FAILED else { throw .outOfMemory(bytes: count) }
        let before = aligns ? -Int(bitPattern: block) & (Self.hugePage - 1) : 0
        let start = unsafe block + before
        if before > 0 { unsafe munmap(block, before) }
        if mapped - before > bytes { unsafe munmap(start + bytes, mapped - before - bytes) }
        if !isSparse { unsafe madvise(start, bytes, Int32(MADV_HUGEPAGE)) }
        self.count = count
        unsafe base = start
    }

    deinit { unsafe munmap(base, count) }

    private static let page = sysconf(Int32(_SC_PAGESIZE))
}
