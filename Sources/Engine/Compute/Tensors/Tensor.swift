import CKernels
import Glibc

/// A block of float32 numbers with a fixed place in memory.
///
/// Invariant: the block is owned by this object alone and lives as long as it does; weights are written once before
/// they are shared, scratch space belongs to one decoder at a time. That is why it may cross threads.
@safe
package final class Tensor: @unchecked Sendable {
    package let count: Int
    let base: UnsafeMutablePointer<Float>
    private let mappedBytes: Int

    /// Zeros, aligned to 64 bytes. Large blocks come straight from the system, so that a lack of memory is an error
    /// here and not a crash later.
    ///
    /// - Parameter isSparse: most of it may never be touched.
    package init(count: Int, isSparse: Bool = false) throws(ComputeError) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        guard count >= 0, !overflow else { throw .outOfMemory(bytes: Int.max) }
        self.count = count
        if bytes >= 1 << 20 {
            let block = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let block = unsafe block, unsafe block != MAP_FAILED else { throw .outOfMemory(bytes: bytes) }
            // Fewer, larger pages: less time to fill them, fewer misses of the address cache while they are read.
            if !isSparse { unsafe madvise(block, bytes, Int32(MADV_HUGEPAGE)) }
            unsafe base = block.assumingMemoryBound(to: Float.self)
            mappedBytes = bytes
        } else {
            var block: UnsafeMutableRawPointer?
            guard unsafe posix_memalign(&block, 64, max(bytes, 64)) == 0, let block = unsafe block else {
                throw .outOfMemory(bytes: bytes)
            }
            unsafe memset(block, 0, max(bytes, 64))
            unsafe base = block.assumingMemoryBound(to: Float.self)
            mappedBytes = 0
        }
    }

    package convenience init(_ values: [Float]) throws(ComputeError) {
        try self.init(count: values.count)
        write(values, at: 0)
    }

    deinit {
        if mappedBytes > 0 { unsafe munmap(base, mappedBytes) } else { unsafe free(base) }
    }

    /// Copies `values` to the elements from `offset` on.
    package func write(_ values: [Float], at offset: Int) {
        precondition(offset >= 0 && offset + values.count <= count, "\(values.count) values at \(offset) of \(count)")
        unsafe values.withUnsafeBufferPointer { values in
            guard let from = values.baseAddress else { return }
            unsafe (base + offset).update(from: from, count: values.count)
        }
    }

    /// A copy of the elements of `range`.
    package func values(_ range: Range<Int>) -> [Float] {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements \(range) of \(count)")
        return unsafe [Float](unsafeUninitializedCapacity: range.count) { out, written in
            if let to = out.baseAddress { unsafe to.update(from: base + range.lowerBound, count: range.count) }
            written = range.count
        }
    }

    /// Copies the elements of `range` into `array`, whose storage is used again when its size fits.
    package func copy(_ range: Range<Int>, into array: inout [Float]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements \(range) of \(count)")
        if array.count != range.count { array = [Float](repeating: 0, count: range.count) }
        unsafe array.withUnsafeMutableBufferPointer { out in
            if let to = out.baseAddress { unsafe to.update(from: base + range.lowerBound, count: range.count) }
        }
    }

    package subscript(index: Int) -> Float {
        get {
            precondition(index >= 0 && index < count, "element \(index) of \(count)")
            return unsafe base[index]
        }
        set {
            precondition(index >= 0 && index < count, "element \(index) of \(count)")
            unsafe base[index] = newValue
        }
    }

    /// Copies `count` elements of `other` from `start` on to `offset`.
    package func copy(_ other: Tensor, from start: Int = 0, count: Int? = nil, at offset: Int) {
        let count = count ?? other.count
        precondition(start >= 0 && start + count <= other.count && offset >= 0 && offset + count <= self.count)
        unsafe (base + offset).update(from: other.base + start, count: count)
    }

    /// Adds `count` elements of `other` from `start` on to those at `offset`.
    package func add(_ other: Tensor, from start: Int, count: Int, at offset: Int) {
        precondition(start >= 0 && start + count <= other.count && offset >= 0 && offset + count <= self.count)
        unsafe ck_add(base + offset, other.base + start, count)
    }

    /// Fills the elements of `range` with `value`.
    package func fill(_ range: Range<Int>, with value: Float) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements \(range) of \(count)")
        unsafe (base + range.lowerBound).update(repeating: value, count: range.count)
    }

    /// All rows one after another.
    package func rows(_ rows: Int, columns: Int, from offset: Int = 0) -> TensorView {
        TensorView(self, offset: offset, rows: rows, columns: columns, stride: columns)
    }
}

/// Rows of a tensor: row r starts at `offset + r · stride`. Rows may overlap when they are only read, which is how a
/// convolution becomes a matrix product without copying.
package struct TensorView: Sendable {
    package let tensor: Tensor
    package let offset: Int
    package let rows: Int
    package let columns: Int
    package let stride: Int

    package init(_ tensor: Tensor, offset: Int, rows: Int, columns: Int, stride: Int) {
        precondition(
            offset >= 0 && rows >= 0 && columns >= 0 && stride >= 0
                && (rows == 0 || offset + (rows - 1) * stride + columns <= tensor.count),
            "\(rows) × \(columns) at \(offset) with stride \(stride) in \(tensor.count) elements")
        self.tensor = tensor
        self.offset = offset
        self.rows = rows
        self.columns = columns
        self.stride = stride
    }

    var base: UnsafeMutablePointer<Float> { unsafe tensor.base + offset }

    func row(_ index: Int) -> UnsafeMutablePointer<Float> { unsafe base + index * stride }

    /// Some of the rows.
    package func slice(rows range: Range<Int>) -> TensorView {
        TensorView(
            tensor, offset: offset + range.lowerBound * stride, rows: range.count, columns: columns, stride: stride)
    }

    /// Some of the columns.
    package func slice(columns range: Range<Int>) -> TensorView {
        TensorView(tensor, offset: offset + range.lowerBound, rows: rows, columns: range.count, stride: stride)
    }

    /// The rows as one array.
    package var values: [Float] {
        (0..<rows).flatMap { tensor.values((offset + $0 * stride)..<(offset + $0 * stride + columns)) }
    }
}

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
