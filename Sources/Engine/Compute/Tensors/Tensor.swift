import CKernels
import Glibc

/// An array of float32 numbers at a fixed address.
///
/// Invariant: this object is the sole owner of the memory. It may be shared by threads because weights are written
/// once, before they are shared, and scratch memory belongs to one decoder at a time.
@safe
package final class Tensor: @unchecked Sendable {
    package let count: Int
    let base: UnsafeMutablePointer<Float>
    /// The owner of the memory; `nil` if it was allocated from the heap.
    private let pages: PageMapping?

    /// Allocates zeros, aligned to 64 bytes.
    ///
    /// - Parameter isSparse: whether most of the memory may never be touched.
    package init(count: Int, isSparse: Bool = false) throws(ComputeError) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        guard count >= 0, !overflow else { throw .outOfMemory(bytes: Int.max) }
        self.count = count
        if bytes >= 1 << 20 {
            let pages = try PageMapping(count: bytes, isSparse: isSparse)
            unsafe base = pages.base.assumingMemoryBound(to: Float.self)
            self.pages = pages
        } else {
            var block: UnsafeMutableRawPointer?
            guard unsafe posix_memalign(&block, 64, max(bytes, 64)) == 0, let block = unsafe block else {
                throw .outOfMemory(bytes: bytes)
            }
            unsafe memset(block, 0, max(bytes, 64))
            unsafe base = block.assumingMemoryBound(to: Float.self)
            pages = nil
        }
    }

    /// Uses the memory of a block.
    init(_ block: MemoryBlock) {
        count = block.count / MemoryLayout<Float>.stride
        unsafe base = block.base.assumingMemoryBound(to: Float.self)
        pages = block.pages
    }

    package convenience init(_ values: [Float]) throws(ComputeError) {
        try self.init(count: values.count)
        write(values, at: 0)
    }

    deinit {
        if pages == nil { unsafe free(base) }
    }

    /// Returns how many of the first `limit` values equal the elements starting at `offset`.
    package func commonPrefix(with values: [Float], at offset: Int, limit: Int) -> Int {
        precondition(
            offset >= 0 && limit <= values.count && offset + limit <= count, "\(limit) values at \(offset) of \(count)")
        return (0..<limit).first { unsafe values[$0] != base[offset + $0] } ?? limit
    }

    /// Copies `values` to the elements starting at `offset`.
    package func write(_ values: [Float], at offset: Int) {
        precondition(offset >= 0 && offset + values.count <= count, "\(values.count) values at \(offset) of \(count)")
        unsafe values.withUnsafeBufferPointer { values in
            guard let from = values.baseAddress else { return }
            unsafe (base + offset).update(from: from, count: values.count)
        }
    }

    /// Returns a copy of the elements in `range`.
    package func values(_ range: Range<Int>) -> [Float] {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements \(range) of \(count)")
        return unsafe [Float](unsafeUninitializedCapacity: range.count) { out, written in
            if let to = out.baseAddress { unsafe to.update(from: base + range.lowerBound, count: range.count) }
            written = range.count
        }
    }

    /// Copies the elements in `range` to `array`, reusing its storage if it has the right size.
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

    /// Copies `count` elements of `other`, starting at `start`, to those starting at `offset`.
    package func copy(_ other: Tensor, from start: Int = 0, count: Int? = nil, at offset: Int) {
        let count = count ?? other.count
        precondition(start >= 0 && start + count <= other.count && offset >= 0 && offset + count <= self.count)
        unsafe (base + offset).update(from: other.base + start, count: count)
    }

    /// Adds `count` elements of `other`, starting at `start`, to those starting at `offset`.
    package func add(_ other: Tensor, from start: Int, count: Int, at offset: Int) {
        precondition(start >= 0 && start + count <= other.count && offset >= 0 && offset + count <= self.count)
        unsafe ck_add(base + offset, other.base + start, count)
    }

    /// Sets the elements in `range` to `value`.
    package func fill(_ range: Range<Int>, with value: Float) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements \(range) of \(count)")
        unsafe (base + range.lowerBound).update(repeating: value, count: range.count)
    }

    /// A view of contiguous rows, starting at element `offset`.
    package func rows(_ rows: Int, columns: Int, from offset: Int = 0) -> TensorView {
        TensorView(self, offset: offset, rows: rows, columns: columns, stride: columns)
    }
}

/// A two-dimensional view of a tensor: row r starts at `offset + r · stride`. Rows may overlap if they are only read,
/// which turns a convolution into a matrix product without copying.
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

    /// The rows in `range`.
    package func slice(rows range: Range<Int>) -> TensorView {
        TensorView(
            tensor, offset: offset + range.lowerBound * stride, rows: range.count, columns: columns, stride: stride)
    }

    /// The columns in `range`.
    package func slice(columns range: Range<Int>) -> TensorView {
        TensorView(tensor, offset: offset + range.lowerBound, rows: rows, columns: range.count, stride: stride)
    }

    /// Copies all rows to those of another tensor.
    package func copy(into other: TensorView) {
        precondition(rows == other.rows && columns == other.columns && tensor !== other.tensor)
        for row in 0..<rows {
            let to = other.offset + row * other.stride
            other.tensor.copy(tensor, from: offset + row * stride, count: columns, at: to)
        }
    }

    /// A copy of all rows in one array.
    package var values: [Float] {
        (0..<rows).flatMap { tensor.values((offset + $0 * stride)..<(offset + $0 * stride + columns)) }
    }
}
