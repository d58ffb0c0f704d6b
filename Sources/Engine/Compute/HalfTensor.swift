import CKernels
import Glibc

/// A block of float16 numbers that stand for float32 numbers exactly.
///
/// Invariant: written once in `init`, only read afterwards; the block lives as long as this object.
@safe
final class HalfTensor: @unchecked Sendable {
    let count: Int
    let base: UnsafeMutablePointer<UInt16>

    /// - Returns: `nil` where a number would lose something, or where there is no memory.
    init?(exactly tensor: Tensor) {
        let bytes = max(64, 2 * tensor.count)
        var block: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&block, bytes >= 4 << 20 ? 2 << 20 : 64, bytes) == 0, let block = unsafe block
        else {
            return nil
        }
        if bytes >= 4 << 20 { unsafe madvise(block, bytes, Int32(MADV_HUGEPAGE)) }
        count = tensor.count
        unsafe base = block.bindMemory(to: UInt16.self, capacity: tensor.count)
        guard unsafe ck_narrow_half(tensor.base, base, tensor.count) == 1 else {
            // The object is complete, so its end frees the block.
            return nil
        }
    }

    deinit { unsafe free(base) }

    /// Widens elements from `start` on.
    func widen(from start: Int, count: Int, into out: UnsafeMutablePointer<Float>) {
        precondition(start >= 0 && start + count <= self.count, "\(count) elements at \(start) of \(self.count)")
        unsafe ck_widen_half(base + start, out, count)
    }
}
