import CSystemCalls
import Glibc

/// Memory mapped from the system, so that running out of it is an error here and not a crash later.
///
/// Invariant: this object owns the mapping.
@safe
final class PageMapping: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutableRawPointer
    /// Lives as long as the mapping.
    private let owner: (any Sendable)?

    /// The size of huge pages, unless pages have 64 KiB, as with some kernels for ARM: then it is 512 MiB, which no
    /// mapping is worth being aligned to.
    static let hugePage = 2 << 20

    /// Maps zeros. Pages are cleared when they are first touched.
    ///
    /// - Parameters:
    ///   - count: the number of bytes, at least 1.
    ///   - isSparse: whether most of the memory may never be touched.
    init(count: Int, isSparse: Bool = false) throws(ComputeError) {
        let block = unsafe Self.reserve(count, PROT_READ | PROT_WRITE, aligns: !isSparse && count >= 2 * Self.hugePage)
        guard let block = unsafe block else { throw .outOfMemory(bytes: count) }
        if !isSparse { unsafe madvise(block, count, Int32(MADV_HUGEPAGE)) }
        self.count = count
        unsafe base = block
        owner = nil
    }

    /// Maps a part of a file, whose memory is shared with all processes that map it.
    ///
    /// - Parameters:
    ///   - count: the number of bytes, whole huge pages.
    ///   - offset: a multiple of the size of huge pages.
    ///   - owner: lives as long as the mapping.
    init(
        count: Int, of descriptor: Int32, at offset: Int, isWritable: Bool, owner: some Sendable
    ) throws(ComputeError) {
        let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let block = unsafe Self.reserve(count, PROT_NONE, aligns: true) else { throw .outOfMemory(bytes: count) }
        guard unsafe mmap(block, count, protection, MAP_SHARED | MAP_FIXED, descriptor, offset) == block else {
            unsafe munmap(block, count)
            throw .outOfMemory(bytes: count)
        }
        // Newer kernels use huge pages for files, too.
        unsafe madvise(block, count, Int32(MADV_HUGEPAGE))
        self.count = count
        unsafe base = block
        self.owner = owner
    }

    deinit { unsafe munmap(base, count) }

    /// Makes the memory read-only.
    func protect() { unsafe mprotect(base, count, PROT_READ) }

    /// Maps the same part of the same file again, for reading only, through another descriptor.
    ///
    /// - Returns: false if the system refuses that; the memory must then not be used any more.
    func remap(_ descriptor: Int32, at offset: Int) -> Bool {
        guard unsafe mmap(base, count, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, offset) == base else {
            return false
        }
        unsafe madvise(base, count, Int32(MADV_HUGEPAGE))
        return true
    }

    /// Replaces a mapped file by a private copy, while other threads read it.
    ///
    /// - Returns: false if there is not enough memory.
    func makePrivate() -> Bool {
        guard let copy = unsafe Self.reserve(count, PROT_READ | PROT_WRITE, aligns: true) else { return false }
        unsafe madvise(copy, count, Int32(MADV_HUGEPAGE))
        unsafe copy.copyMemory(from: base, byteCount: count)
        unsafe mprotect(copy, count, PROT_READ)
        return unsafe cs_move_pages(copy, base, count) == 0
    }

    /// Maps private memory.
    ///
    /// - Parameter aligns: whether it starts at a multiple of the size of huge pages, as these do. They are faster to fault
    ///   in and cause fewer TLB misses.
    private static func reserve(_ count: Int, _ protection: Int32, aligns: Bool) -> UnsafeMutableRawPointer? {
        let bytes = (count + page - 1) / page * page
        let mapped = aligns ? bytes + hugePage : bytes
        let block = unsafe mmap(nil, mapped, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let block = unsafe block, unsafe block != MAP_FAILED else { return nil }
        let before = aligns ? -Int(bitPattern: block) & (hugePage - 1) : 0
        let start = unsafe block + before
        if before > 0 { unsafe munmap(block, before) }
        if mapped - before > bytes { unsafe munmap(start + bytes, mapped - before - bytes) }
        return unsafe start
    }

    private static let page = sysconf(Int32(_SC_PAGESIZE))
}
