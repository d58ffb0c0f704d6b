/// Bytes at a fixed address, aligned to 64 bytes.
///
/// Invariant: this object is the sole owner of these bytes; only its creator writes to them, before sharing it.
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

    func copy(_ other: MemoryBlock) {
        precondition(other.count == count, "\(other.count) bytes for \(count)")
        unsafe base.copyMemory(from: other.base, byteCount: count)
    }
}
