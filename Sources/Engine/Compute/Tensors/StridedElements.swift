import EngineBasics
import Synchronization
import EngineWeights

/// The bytes of a tensor whose elements are not contiguous, such as a transposed one, from its first element to its last.
///
/// Reading them at once is faster than reading single elements from the file, and takes no more memory than the file has
/// bytes. `MemoryEstimate` includes this memory; because converting and verifying a model involve no estimate, `init`
/// checks that it is available.
struct StridedElements {
    private let bytes: [UInt8]
    private let layout: StridedLayout
    private let size: Int

    /// Reads the bytes; `nil` if the elements are contiguous.
    init?(_ tensor: WeightTensor) throws(ModelError) {
        guard let strides = tensor.strides, let layout = StridedLayout(sizes: tensor.shape, strides: strides) else {
            return nil
        }
        let size = tensor.type.blockBytes
        precondition(tensor.type.blockLength == 1 && layout.span * size == tensor.bytes.count, "\(tensor)")
        if let available = SystemMemory.available(threads: 0), available < tensor.bytes.count {
            throw .notEnoughMemory(path: tensor.file.path, needs: tensor.bytes.count, available: available)
        }
        do throws(FileError) {
            bytes = try tensor.file.bytes(tensor.bytes)
        } catch { throw ModelError(error, path: tensor.file.path) }
        self.layout = layout
        self.size = size
    }

    /// Copies elements, indexed in the order of the shape, to contiguous memory at `start`.
    func copy(_ elements: Range<Int>, to start: UnsafeMutableRawPointer) {
        switch size {
        case 2: unsafe copy(elements, to: start, as: UInt16.self)
        case 4: unsafe copy(elements, to: start, as: UInt32.self)
        default: unsafe copy(elements, to: start, as: UInt64.self)
        }
    }

    private func copy<Element: FixedWidthInteger & BitwiseCopyable>(
        _ elements: Range<Int>, to start: UnsafeMutableRawPointer, as type: Element.Type
    ) {
        let size = MemoryLayout<Element>.size
        unsafe bytes.withUnsafeBytes { from in
            var to = unsafe start
            layout.eachRun(elements) { first, step, count in
                for index in 0..<count {
                    let element = unsafe from.loadUnaligned(fromByteOffset: (first + index * step) * size, as: type)
                    unsafe to.storeBytes(of: element, as: type)
                    unsafe to += size
                }
            }
        }
    }
}

/// The elements of a tensor, read only when they are first needed: a matrix that is converted as a whole reads its
/// elements itself, and would otherwise have them in memory twice.
final class GatheredElements: Sendable {
    private let tensor: WeightTensor
    private let result = Mutex<StridedElements?>(nil)

    init(_ tensor: WeightTensor) { self.tensor = tensor }

    /// The elements; `nil` if they are contiguous. Other threads wait until they are read.
    func elements() throws(ModelError) -> StridedElements? {
        guard tensor.strides != nil else { return nil }
        return try result.withLock { (elements) throws(ModelError) in
            if elements == nil { elements = try StridedElements(tensor) }
            return elements
        }
    }
}
