import CKernels
import Synchronization
package import EngineWeights

extension Tensor {
    /// The first of the numbers or blocks that a storage format cannot represent.
    package struct RangeError: Error, Equatable {
        /// The index of the number, or of the first number in the block.
        package let index: Int

        package init(index: Int) { self.index = index }
    }

    /// Encodes the elements in `range`, whole blocks of finite numbers, like whisper.cpp's reference code.
    ///
    /// - Parameter backend: the backend whose threads share the work; `nil` uses only the calling thread.
    /// - Returns: the bytes, and how far the encoded numbers are from the elements.
    /// - Throws: `RangeError` if a number or the scale of a block is too large for the format.
    package func encoded(
        _ range: Range<Int>, as type: ElementType, by backend: (any ComputeBackend)? = nil
    ) throws(RangeError) -> (bytes: [UInt8], error: ReconstructionError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count && range.count % type.blockLength == 0)
        let chunks = (range.count + Self.chunkLength - 1) / Self.chunkLength
        let failure = Mutex<Int?>(nil), errors = Mutex([ReconstructionError?](repeating: nil, count: chunks))
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count / type.blockLength * type.blockBytes) {
            (buffer, filled) in
            guard let out = buffer.baseAddress else { return }
            filled = buffer.count
            let encode = { (chunks: Range<Int>) in
                var decoded = [Float](repeating: 0, count: min(range.count, Self.chunkLength))
                for chunk in chunks {
                    let start = chunk * Self.chunkLength, count = min(range.count - start, Self.chunkLength)
                    let from = unsafe self.base + range.lowerBound + start
                    let to = unsafe UnsafeMutableRawPointer(out) + start / type.blockLength * type.blockBytes
                    if let index = unsafe type.encode(from, count, into: to) {
                        failure.withLock { $0 = min($0 ?? Int.max, range.lowerBound + start + index) }
                        return
                    }
                    var error = ReconstructionError()
                    unsafe decoded.withUnsafeMutableBufferPointer { decoded in
                        guard let decoded = decoded.baseAddress else { return }
                        unsafe WeightTensor.unpack(to, count, as: type, into: decoded)
                        for i in 0..<count { error.add(unsafe Double(decoded[i]) - Double(from[i])) }
                    }
                    errors.withLock { $0[chunk] = error }
                }
            }
            if let backend { backend.share(chunks, minimum: 1, encode) } else { encode(0..<chunks) }
        }
        if let index = failure.withLock({ $0 }) { throw RangeError(index: index) }
        // In order, so that the sum does not depend on timing.
        return (bytes, errors.withLock { $0.compactMap { $0 }.reduce(into: ReconstructionError()) { $0.add($1) } })
    }

    /// Fits in a core's L2 cache; a multiple of all block lengths.
    private static let chunkLength = 1 << 16
}

/// How far encoded numbers are from the original ones.
package struct ReconstructionError: Sendable, Equatable {
    package private(set) var count = 0
    /// The largest absolute difference.
    package private(set) var largest = 0.0
    private var squares = 0.0

    package init() {}

    /// The root of the mean squared difference.
    package var rootMeanSquare: Double { count == 0 ? 0 : (squares / Double(count)).squareRoot() }

    mutating func add(_ difference: Double) {
        count += 1
        largest = max(largest, abs(difference))
        squares += difference * difference
    }

    package mutating func add(_ other: ReconstructionError) {
        count += other.count
        largest = max(largest, other.largest)
        squares += other.squares
    }
}

extension ElementType {
    /// Encodes `count` finite numbers, whole blocks.
    ///
    /// - Returns: the index of the first number, or of the first block, that is out of range; `nil` if none is.
    fileprivate func encode(
        _ from: UnsafePointer<Float>, _ count: Int, into to: UnsafeMutableRawPointer
    ) -> Int? {
        switch self {
        case .f32:
            unsafe to.copyMemory(from: from, byteCount: 4 * count)
            return nil
        case .f16:
            // At an even address only if the array is: the elements are stored in place either way.
            let halves = unsafe to.bindMemory(to: UInt16.self, capacity: count)
            guard unsafe ck_narrow_half(from, halves, count) < 0 else { return nil }
            return (0..<count).first { unsafe !Float16(from[$0]).isFinite }
        case .bf16:
            for index in 0..<count {
                let bits = unsafe from[index].bitPattern
                let half = UInt16((bits + 0x7fff + (bits >> 16 & 1)) >> 16)
                if half & 0x7fff >= 0x7f80 { return index }
                unsafe to.storeBytes(of: half.littleEndian, toByteOffset: 2 * index, as: UInt16.self)
            }
            return nil
        case .q4_0: return unsafe encodeBlocks(from, count, into: to) { unsafe Self.encodeSigned($0, $1, bits: 4) }
        case .q4_1: return unsafe encodeBlocks(from, count, into: to) { unsafe Self.encodeRanged($0, $1, bits: 4) }
        case .q5_0: return unsafe encodeBlocks(from, count, into: to) { unsafe Self.encodeSigned($0, $1, bits: 5) }
        case .q5_1: return unsafe encodeBlocks(from, count, into: to) { unsafe Self.encodeRanged($0, $1, bits: 5) }
        case .q8_0: return unsafe encodeBlocks(from, count, into: to) { unsafe Self.encodeBytes($0, $1) }
        case .f64, .int8, .int16: preconditionFailure("no ggml file contains \(self)")
        }
    }

    /// - Parameter encode: encodes one block; false if its scale or minimum is out of range.
    private func encodeBlocks(
        _ from: UnsafePointer<Float>, _ count: Int, into to: UnsafeMutableRawPointer,
        _ encode: (UnsafePointer<Float>, UnsafeMutableRawPointer) -> Bool
    ) -> Int? {
        for block in 0..<(count / 32) {
            guard unsafe encode(from + 32 * block, to + block * blockBytes) else { return 32 * block }
        }
        return nil
    }

    // All arithmetic is in float32; the inverse is that of the scale before it is rounded to float16.

    /// Q4_0 and Q5_0: the number of largest magnitude, the first of several, becomes level 0.
    private static func encodeSigned(
        _ x: UnsafePointer<Float>, _ block: UnsafeMutableRawPointer, bits: Int
    ) -> Bool {
        var extreme: Float = 0
        for i in 0..<32 where unsafe abs(x[i]) > abs(extreme) { extreme = unsafe x[i] }
        let middle: Float = bits == 4 ? 8 : 16
        let scale = extreme / -middle
        let inverse = scale != 0 ? 1 / scale : 0
        unsafe packLevels(into: block + 2, bits: bits) { unsafe x[$0] * inverse + (middle + 0.5) }
        return unsafe store(scale, block)
    }

    /// Q4_1 and Q5_1: levels from the minimum to the maximum.
    private static func encodeRanged(
        _ x: UnsafePointer<Float>, _ block: UnsafeMutableRawPointer, bits: Int
    ) -> Bool {
        var (least, greatest) = unsafe (x[0], x[0])
        for i in 1..<32 {
            if unsafe x[i] < least { least = unsafe x[i] }
            if unsafe x[i] > greatest { greatest = unsafe x[i] }
        }
        let scale = (greatest - least) / (bits == 4 ? 15 : 31)
        let inverse = scale != 0 ? 1 / scale : 0
        unsafe packLevels(into: block + 4, bits: bits) { unsafe (x[$0] - least) * inverse + 0.5 }
        let fits = unsafe store(scale, block)
        return unsafe store(least, block + 2) && fits
    }

    /// Q8_0.
    private static func encodeBytes(_ x: UnsafePointer<Float>, _ block: UnsafeMutableRawPointer) -> Bool {
        var greatest: Float = 0
        for i in 0..<32 { greatest = unsafe max(greatest, abs(x[i])) }
        let scale = greatest / 127
        let inverse = scale != 0 ? 1 / scale : 0
        for i in 0..<32 {
            let level = unsafe (x[i] * inverse).rounded(.toNearestOrAwayFromZero)
            unsafe block.storeBytes(of: level.isFinite ? Int8(level) : 0, toByteOffset: 2 + i, as: Int8.self)
        }
        return unsafe store(scale, block)
    }

    /// Stores the fifth bits, if any, and then the nibbles of levels 0 to 2^bits - 1, in the layout that
    /// `WeightTensor.unpack` reads.
    ///
    /// - Parameter level: the level of an element before its fraction is dropped.
    private static func packLevels(into to: UnsafeMutableRawPointer, bits: Int, _ level: (Int) -> Float) {
        let greatest: UInt32 = bits == 4 ? 15 : 31
        // A scale so small that its inverse is infinite is stored as 0; the levels are then without effect.
        func rounded(_ index: Int) -> UInt32 {
            let value = level(index)
            return value.isFinite ? min(greatest, UInt32(value)) : 0
        }
        let nibbles = unsafe bits == 4 ? to : to + 4
        var fifth: UInt32 = 0
        for j in 0..<16 {
            let (low, high) = (rounded(j), rounded(j + 16))
            fifth |= (low >> 4) << UInt32(j) | (high >> 4) << UInt32(j + 16)
            unsafe nibbles.storeBytes(
                of: UInt8(low & 15 | (high & 15) << 4), toByteOffset: j, as: UInt8.self)
        }
        if bits == 5 { unsafe to.storeBytes(of: fifth.littleEndian, as: UInt32.self) }
    }

    /// Stores a scale or minimum as float16.
    ///
    /// - Returns: whether it is in the range of float16.
    private static func store(_ value: Float, _ to: UnsafeMutableRawPointer) -> Bool {
        let half = Float16(value)
        unsafe to.storeBytes(of: half.bitPattern.littleEndian, as: UInt16.self)
        return half.isFinite
    }
}
