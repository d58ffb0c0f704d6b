/// Bytes at a fixed address, aligned to 64 bytes.
///
/// Invariant: this object is the sole owner of these bytes; only its creator writes to them, before sharing it,
/// or a cache that is not shared.
@safe
final class MemoryBlock: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutableRawPointer
    let pages: PageMapping

    /// Allocates `count` zeros.
    convenience init(count: Int) throws(ComputeError) {
        guard count >= 0 else { throw .outOfMemory(bytes: count) }
        self.init(count: count, at: 0, of: try PageMapping(count: max(1, count)))
    }

    /// A part of a mapping that no other block has.
    init(count: Int, at offset: Int, of pages: PageMapping) {
        precondition(offset >= 0 && count >= 0 && offset + count <= pages.count, "\(count) at \(offset)")
        self.count = count
        self.pages = pages
        unsafe base = unsafe pages.base + offset
    }

    /// Whether the first byte is 1.
    var flag: Bool {
        get { unsafe base.load(as: UInt8.self) == 1 }
        set { unsafe base.storeBytes(of: newValue ? 1 : 0, as: UInt8.self) }
    }

    func copy(_ other: MemoryBlock) { copy(other, 0..<count) }

    /// Copies a part of a block of the same size.
    func copy(_ other: MemoryBlock, _ range: Range<Int>) {
        precondition(
            other.count == count && range.lowerBound >= 0 && range.upperBound <= count,
            "bytes \(range) of \(other.count) for \(count)")
        unsafe (base + range.lowerBound).copyMemory(from: other.base + range.lowerBound, byteCount: range.count)
    }
}
