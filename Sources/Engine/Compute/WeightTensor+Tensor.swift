import CKernels

extension WeightTensor {
    /// Its numbers as float32, in the order of its shape.
    ///
    /// - Throws: `ComputeError.outOfMemory`; `NonFiniteWeight` for the first element that is no finite number.
    package func floats() throws -> Tensor {
        let tensor = try Tensor(count: count)
        unsafe file.withBytes(bytes) { bytes in
            guard let from = bytes.baseAddress else { return }
            unsafe unpack(from, into: tensor.base)
        }
        if let index = tensor.firstNonFinite { throw NonFiniteWeight(index: index) }
        return tensor
    }

    private func unpack(_ from: UnsafeRawPointer, into to: UnsafeMutablePointer<Float>) {
        let blocks = count / type.blockLength, size = type.blockBytes
        switch type {
        case .f32:
            unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: 4 * count)
        case .f16:
            // Only the address is used: the kernel reads bytes, as tensors begin anywhere.
            unsafe ck_widen_half(from, to, count)
        case .bf16:
            unsafe ck_widen_bfloat(from, to, count)
        case .q4_0:
            for block in 0..<blocks { unsafe Self.unpackQ40(from + block * size, to + block * 32) }
        case .q4_1:
            for block in 0..<blocks { unsafe Self.unpackQ41(from + block * size, to + block * 32) }
        case .q5_0:
            for block in 0..<blocks { unsafe Self.unpackQ50(from + block * size, to + block * 32) }
        case .q5_1:
            for block in 0..<blocks { unsafe Self.unpackQ51(from + block * size, to + block * 32) }
        case .q8_0:
            for block in 0..<blocks { unsafe Self.unpackQ80(from + block * size, to + block * 32) }
        }
    }

    // Byte j of 16 holds element j in its low nibble and element j + 16 in its high one; `fifth` holds the fifth bits
    // in straight order. Scale and minimum are float16.

    private static func half(_ at: UnsafeRawPointer) -> Float {
        Float(Float16(bitPattern: UInt16(littleEndian: unsafe at.loadUnaligned(as: UInt16.self))))
    }

    private static func unpackQ40(_ block: UnsafeRawPointer, _ out: UnsafeMutablePointer<Float>) {
        let d = unsafe half(block)
        for j in 0..<16 {
            let byte = unsafe block.load(fromByteOffset: 2 + j, as: UInt8.self)
            unsafe out[j] = Float(Int(byte & 15) - 8) * d
            unsafe out[j + 16] = Float(Int(byte >> 4) - 8) * d
        }
    }

    private static func unpackQ41(_ block: UnsafeRawPointer, _ out: UnsafeMutablePointer<Float>) {
        let d = unsafe half(block), m = unsafe half(block + 2)
        for j in 0..<16 {
            let byte = unsafe block.load(fromByteOffset: 4 + j, as: UInt8.self)
            unsafe out[j] = Float(byte & 15) * d + m
            unsafe out[j + 16] = Float(byte >> 4) * d + m
        }
    }

    private static func unpackQ50(_ block: UnsafeRawPointer, _ out: UnsafeMutablePointer<Float>) {
        let d = unsafe half(block)
        let fifth = UInt32(littleEndian: unsafe (block + 2).loadUnaligned(as: UInt32.self))
        for j in 0..<16 {
            let byte = UInt32(unsafe block.load(fromByteOffset: 6 + j, as: UInt8.self))
            unsafe out[j] = Float(Int32(byte & 15 | (fifth >> UInt32(j) & 1) << 4) - 16) * d
            unsafe out[j + 16] = Float(Int32(byte >> 4 | (fifth >> UInt32(j + 16) & 1) << 4) - 16) * d
        }
    }

    private static func unpackQ51(_ block: UnsafeRawPointer, _ out: UnsafeMutablePointer<Float>) {
        let d = unsafe half(block), m = unsafe half(block + 2)
        let fifth = UInt32(littleEndian: unsafe (block + 4).loadUnaligned(as: UInt32.self))
        for j in 0..<16 {
            let byte = UInt32(unsafe block.load(fromByteOffset: 8 + j, as: UInt8.self))
            unsafe out[j] = Float(byte & 15 | (fifth >> UInt32(j) & 1) << 4) * d + m
            unsafe out[j + 16] = Float(byte >> 4 | (fifth >> UInt32(j + 16) & 1) << 4) * d + m
        }
    }

    private static func unpackQ80(_ block: UnsafeRawPointer, _ out: UnsafeMutablePointer<Float>) {
        let d = unsafe half(block)
        for j in 0..<32 {
            unsafe out[j] = Float(block.load(fromByteOffset: 2 + j, as: Int8.self)) * d
        }
    }
}

/// A weight that is NaN or infinite.
package struct NonFiniteWeight: Error, Equatable {
    package let index: Int
}

extension Tensor {
    /// Index of the first NaN or infinity.
    var firstNonFinite: Int? {
        // x - x is 0 for finite numbers and NaN for others; the sum shows whether there is any.
        var sum: Float = 0
        for i in 0..<count {
            let value = unsafe base[i]
            sum += value - value
        }
        if sum == 0 { return nil }
        return (0..<count).first { unsafe !base[$0].isFinite }
    }
}
