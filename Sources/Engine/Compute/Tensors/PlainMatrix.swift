import CKernels
import Synchronization

/// A weight row by row, float32 as it is or float16.
final class PlainMatrix: PackedMatrix {
    enum Storage: Sendable {
        case full(Tensor)
        case half(HalfTensor)
    }

    let storage: Storage
    let outputs: Int
    let inputs: Int

    init(storage: Storage, outputs: Int, inputs: Int) {
        self.storage = storage
        self.outputs = outputs
        self.inputs = inputs
    }

    var isFull: Bool {
        if case .full = storage { true } else { false }
    }
}

/// A block of float16 numbers that stand for float32 numbers.
///
/// Invariant: written once in `init`, only read afterwards.
@safe
final class HalfTensor: @unchecked Sendable {
    let count: Int
    private let block: MemoryBlock

    var base: UnsafeMutablePointer<UInt16> { unsafe block.base.assumingMemoryBound(to: UInt16.self) }

    /// - Parameter share: runs the body over all of 0..<count in parts, on any threads.
    /// - Returns: `nil` where a number would lose something.
    convenience init?(
        exactly tensor: Tensor, share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws(ComputeError) {
        try self.init(tensor, share: share, least: 1)
    }

    /// Rounds to the nearest.
    ///
    /// - Returns: `nil` where a number is too great for 16 bits.
    convenience init?(
        rounding tensor: Tensor, share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws(ComputeError) {
        try self.init(tensor, share: share, least: 0)
    }

    /// - Parameter least: of what `ck_narrow_half` says.
    private init?(
        _ tensor: Tensor, share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void, least: Int32
    ) throws(ComputeError) {
        count = tensor.count
        block = try MemoryBlock(count: 2 * tensor.count)
        let block = block, isAccepted = Atomic<Bool>(true), step = 1 << 16
        share((count + step - 1) / step) { steps in
            for index in steps where isAccepted.load(ordering: .relaxed) {
                let first = index * step
                let code = unsafe ck_narrow_half(
                    tensor.base + first, block.base.assumingMemoryBound(to: UInt16.self) + first,
                    min(step, tensor.count - first))
                if code < least { isAccepted.store(false, ordering: .relaxed) }
            }
        }
        guard isAccepted.load(ordering: .relaxed) else { return nil }
    }

    /// The numbers of tensors of 16 bits one after another, read without any other memory.
    ///
    /// - Throws: as `WeightTensor.floats`.
    init(reading weights: [WeightTensor], by backend: any ComputeBackend) throws {
        count = weights.reduce(0) { $0 + $1.count }
        block = try MemoryBlock(count: 2 * count)
        var offset = 0
        for weight in weights {
            unsafe try weight.readHalves(into: base + offset, by: backend)
            offset += weight.count
        }
    }

    /// Widens elements from `start` on.
    func widen(from start: Int, count: Int, into out: UnsafeMutablePointer<Float>) {
        precondition(start >= 0 && start + count <= self.count, "\(count) elements at \(start) of \(self.count)")
        unsafe ck_widen_half(base + start, out, count)
    }
}
