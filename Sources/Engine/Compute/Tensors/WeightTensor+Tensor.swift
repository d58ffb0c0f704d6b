import CKernels
import Synchronization

extension WeightTensor {
    /// Its numbers as float32, in the order of its shape, read part by part: memory is needed for the result alone.
    ///
    /// - Parameter backend: whose threads share the work; `nil` is the calling one alone.
    /// - Throws: `ComputeError.outOfMemory`; `ModelError.notFinite` for the first element that is no finite number,
    ///   `ModelError` where the file cannot be read any more.
    package func floats(by backend: (any ComputeBackend)? = nil) throws -> Tensor {
        let tensor = try Tensor(count: count)
        try write(to: tensor, at: 0, by: backend)
        return tensor
    }

    /// Puts its numbers at the elements of `tensor` from `offset` on; otherwise as `floats`.
    package func write(to tensor: Tensor, at offset: Int, by backend: (any ComputeBackend)?) throws {
        precondition(offset >= 0 && offset + count <= tensor.count, "\(count) at \(offset) of \(tensor.count)")
        try eachPart(backend) { parts, failed in
            var bytes = type == .f32 ? [] : [UInt8](repeating: 0, count: size(of: min(count, Self.elementsAtOnce)))
            for part in parts {
                do throws(ModelError) {
                    try write(elements(of: part), to: tensor, at: offset, by: &bytes)
                } catch { return failed(part, error) }
            }
        }
    }

    /// Puts the numbers of a tensor of 16 bits at `start` as they are; otherwise as `floats`.
    func readHalves(into start: UnsafeMutablePointer<UInt16>, by backend: any ComputeBackend) throws {
        precondition(type == .f16, "\(type)")
        try eachPart(backend) { parts, failed in
            for part in parts {
                let elements = elements(of: part), from = bytes.lowerBound + 2 * elements.lowerBound
                do throws(FileError) {
                    unsafe try file.read(
                        from..<(from + 2 * elements.count), into: UnsafeMutableRawPointer(start + elements.lowerBound))
                } catch { return failed(part, ModelError(error, path: file.path)) }
                // Infinities and NaN have all bits of the exponent.
                let isFinite = { (index: Int) in unsafe UInt16(littleEndian: start[index]) & 0x7fff < 0x7c00 }
                var greatest: UInt16 = 0
                for index in elements { greatest = max(greatest, unsafe start[index] & 0x7fff) }
                if greatest >= 0x7c00, let index = elements.first(where: { !isFinite($0) }) {
                    return failed(part, .notFinite(path: file.path, tensor: name, index: index))
                }
            }
        }
    }

    /// Shares the parts out and throws the first failure in their order, whichever thread met one first.
    private func eachPart(
        _ backend: (any ComputeBackend)?,
        _ body: (_ parts: Range<Int>, _ failed: (Int, ModelError) -> Void) -> Void
    ) throws(ModelError) {
        let failure = Mutex<(part: Int, error: ModelError)?>(nil)
        let parts = (count + Self.elementsAtOnce - 1) / Self.elementsAtOnce
        let failed = { (part: Int, error: ModelError) in
            failure.withLock { if part < $0?.part ?? Int.max { $0 = (part, error) } }
        }
        if let backend {
            backend.share(parts, minimum: 1) { body($0, failed) }
        } else {
            body(0..<parts, failed)
        }
        if let error = failure.withLock({ $0?.error }) { throw error }
    }

    private func elements(of part: Int) -> Range<Int> {
        (part * Self.elementsAtOnce)..<min(count, (part + 1) * Self.elementsAtOnce)
    }

    private func write(
        _ elements: Range<Int>, to tensor: Tensor, at offset: Int, by part: inout [UInt8]
    ) throws(ModelError) {
        let start = bytes.lowerBound + size(of: elements.lowerBound)
        let range = start..<(start + size(of: elements.count))
        let target = (offset + elements.lowerBound)..<(offset + elements.upperBound)
        do throws(FileError) {
            try fill(tensor, target, from: range, by: &part)
        } catch { throw ModelError(error, path: file.path) }
        if let index = tensor.firstNonFinite(in: target) {
            throw .notFinite(path: file.path, tensor: name, index: index - offset)
        }
    }

    /// A quarter of a core's second-level cache; a multiple of every block's length.
    private static let elementsAtOnce = 1 << 16

    private func size(of elements: Int) -> Int { elements / type.blockLength * type.blockBytes }

    private func fill(
        _ tensor: Tensor, _ elements: Range<Int>, from range: Range<Int>, by part: inout [UInt8]
    ) throws(FileError) {
        let to = unsafe tensor.base + elements.lowerBound
        if type == .f32 { return unsafe try file.read(range, into: to) }
        var failure: FileError?
        unsafe part.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            do throws(FileError) {
                unsafe try file.read(range, into: start)
                unsafe unpack(start, elements.count, into: to)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func unpack(_ from: UnsafeRawPointer, _ count: Int, into to: UnsafeMutablePointer<Float>) {
        let blocks = count / type.blockLength, size = type.blockBytes
        switch type {
        case .f32:
            unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: 4 * count)
        case .f16:
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

extension Tensor {
    /// Index of the first NaN or infinity of `range`.
    func firstNonFinite(in range: Range<Int>) -> Int? {
        if greatestBits(in: range) < Float.infinity.bitPattern { return nil }
        return range.first { !self[$0].isFinite }
    }

    /// Whether all its elements are 0.
    package var isZero: Bool { greatestBits(in: 0..<count) == 0 }

    /// The greatest bit pattern without sign; from infinity's on a number is not finite.
    private func greatestBits(in range: Range<Int>) -> UInt32 {
        var greatest: UInt32 = 0
        for i in range { greatest = max(greatest, unsafe base[i].bitPattern & 0x7fff_ffff) }
        return greatest
    }
}
