import CKernels
import Synchronization
import EngineWeights

/// A row-major weight in float32 or float16.
package final class PlainMatrix: PackedMatrix {
    enum Storage: Sendable {
        case full(Tensor)
        case half(HalfTensor)
    }

    let storage: Storage
    package let outputs: Int
    package let inputs: Int
    let backend: KernelBackend
    package var scratch: ScratchPool { backend.scratch }

    init(_ storage: Storage, outputs: Int, inputs: Int, backend: KernelBackend) {
        self.storage = storage
        self.outputs = outputs
        self.inputs = inputs
        self.backend = backend
    }

    var isFull: Bool {
        if case .full = storage { true } else { false }
    }

    /// The bytes that a product reads.
    var byteCount: Int { outputs * inputs * (isFull ? MemoryLayout<Float>.stride : MemoryLayout<UInt16>.stride) }
}

/// The rows of a weight in memory, widened to float32 if necessary.
struct PlainRows: MatrixRows {
    private let matrix: PlainMatrix
    var outputs: Int { matrix.outputs }
    var inputs: Int { matrix.inputs }

    init(_ matrix: PlainMatrix) { self.matrix = matrix }

    func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        unsafe widened(range, body)
    }

    /// `read`, which cannot fail for weights in memory.
    func widened(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) {
        let first = range.lowerBound * inputs, count = range.count * inputs
        switch matrix.storage {
        case .full(let numbers): unsafe body(numbers.base + first)
        case .half(let numbers):
            matrix.scratch.with(count) { widened in
                unsafe numbers.widen(from: first, count: count, into: widened.base)
                unsafe body(widened.base)
            }
        }
    }
}

/// An array of float16 numbers at a fixed address.
///
/// Invariant: written only in `init`.
@safe
final class HalfTensor: @unchecked Sendable {
    let count: Int
    private let block: MemoryBlock

    var base: UnsafeMutablePointer<UInt16> { unsafe block.base.assumingMemoryBound(to: UInt16.self) }

    /// Converts a float32 tensor without loss.
    ///
    /// - Returns: `nil` if a number is not representable in float16.
    convenience init?(exactly tensor: Tensor, pool: WorkerPool) throws(ComputeError) {
        try self.init(tensor, pool: pool, minimum: 1)
    }

    /// Rounds a float32 tensor to nearest.
    ///
    /// - Returns: `nil` if a number overflows float16.
    convenience init?(rounding tensor: Tensor, pool: WorkerPool) throws(ComputeError) {
        try self.init(tensor, pool: pool, minimum: 0)
    }

    /// - Parameter minimum: the smallest accepted result of `ck_narrow_half`.
    private init?(_ tensor: Tensor, pool: WorkerPool, minimum: Int32) throws(ComputeError) {
        count = tensor.count
        block = try MemoryBlock(count: 2 * tensor.count)
        let block = block, isAccepted = Atomic<Bool>(true), step = 1 << 16
        pool.share((count + step - 1) / step, minimum: 1) { steps in
            for index in steps where isAccepted.load(ordering: .relaxed) {
                let first = index * step
                let code = unsafe ck_narrow_half(
                    tensor.base + first, block.base.assumingMemoryBound(to: UInt16.self) + first,
                    min(step, tensor.count - first))
                if code < minimum { isAccepted.store(false, ordering: .relaxed) }
            }
        }
        guard isAccepted.load(ordering: .relaxed) else { return nil }
    }

    /// Uses the numbers in a block.
    init(_ block: MemoryBlock) {
        count = block.count / 2
        self.block = block
    }

    /// The same numbers in memory that lasts as long as the model.
    func kept(in arena: WeightArena) throws(ComputeError) -> HalfTensor { HalfTensor(try arena.kept(block)) }

    /// Reads float16 tensors of a file, concatenated, without intermediate memory.
    ///
    /// - Throws: the errors of `WeightTensor.floats`.
    init(reading weights: [WeightTensor], arena: WeightArena, by backend: any ComputeBackend) throws {
        count = weights.reduce(0) { $0 + $1.count }
        block = try arena.block(count: 2 * count)
        if arena.isFilled { return }
        var offset = 0
        for weight in weights {
            unsafe try weight.readHalves(into: base + offset, by: backend)
            offset += weight.count
        }
    }

    /// Converts `count` elements from `start` to float32.
    func widen(from start: Int, count: Int, into out: UnsafeMutablePointer<Float>) {
        precondition(start >= 0 && start + count <= self.count, "\(count) elements at \(start) of \(self.count)")
        unsafe ck_widen_half(base + start, out, count)
    }
}
