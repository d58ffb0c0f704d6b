import EngineBasics
import CKernels
import EngineWeights

extension WeightTensor {
    /// Reads the elements as float32, in the order of the shape. Reads in chunks, so that only the result needs memory.
    ///
    /// - Parameter backend: the backend whose threads share the work; `nil` uses only the calling thread.
    /// - Throws: `ComputeError.outOfMemory`; `ModelError.notFinite` for the first element that is NaN or infinite;
    ///   other `ModelError`s if the file can no longer be read.
    package func floats(by backend: (any ComputeBackend)? = nil) throws -> Tensor {
        let tensor = try Tensor(count: count)
        try write(to: tensor, at: 0, by: backend)
        return tensor
    }

    /// Reads the elements like `floats` into `tensor`, starting at element `offset`.
    package func write(to tensor: Tensor, at offset: Int, by backend: (any ComputeBackend)?) throws {
        precondition(offset >= 0 && offset + count <= tensor.count, "\(count) at \(offset) of \(tensor.count)")
        let gathered = try StridedElements(self)
        try eachChunk(backend) { chunks, failure in
            var buffer = type == .f32 ? [] : [UInt8](repeating: 0, count: size(of: min(count, Self.chunkLength)))
            unsafe buffer.withUnsafeMutableBytes { stored in
                for chunk in chunks {
                    let elements = elements(of: chunk)
                    do throws(ModelError) {
                        unsafe try read(
                            elements, gathered, stored: stored.baseAddress,
                            into: tensor.base + offset + elements.lowerBound)
                    } catch { return failure.record(error, in: chunk) }
                }
            }
        }
    }

    /// Reads the elements of a float16 tensor unconverted into memory at `start`; throws like `floats`.
    func readHalves(into start: UnsafeMutablePointer<UInt16>, by backend: any ComputeBackend) throws {
        precondition(type == .f16, "\(type)")
        let gathered = try StridedElements(self)
        try eachChunk(backend) { chunks, failure in
            for chunk in chunks {
                let elements = elements(of: chunk)
                do throws(FileError) {
                    unsafe try read(elements, gathered, into: UnsafeMutableRawPointer(start + elements.lowerBound))
                } catch { return failure.record(ModelError(error, path: file.path), in: chunk) }
                // Infinities and NaN have all exponent bits set.
                let isFinite = { (index: Int) in unsafe UInt16(littleEndian: start[index]) & 0x7fff < 0x7c00 }
                if unsafe ck_half_magnitude_bits(start + elements.lowerBound, elements.count) >= 0x7c00,
                    let index = elements.first(where: { !isFinite($0) })
                {
                    return failure.record(.notFinite(path: file.path, tensor: name, index: index), in: chunk)
                }
            }
        }
    }

    /// Processes the chunks in parallel and throws the failure of the first failing chunk, regardless of timing.
    private func eachChunk(
        _ backend: (any ComputeBackend)?,
        _ body: (_ chunks: Range<Int>, _ failure: FirstFailure<ModelError>) -> Void
    ) throws(ModelError) {
        let failure = FirstFailure<ModelError>()
        let chunks = (count + Self.chunkLength - 1) / Self.chunkLength
        if let backend {
            backend.share(chunks, minimum: 1) { body($0, failure) }
        } else {
            body(0..<chunks, failure)
        }
        try failure.check()
    }

    private func elements(of chunk: Int) -> Range<Int> {
        (chunk * Self.chunkLength)..<min(count, (chunk + 1) * Self.chunkLength)
    }

    /// Reads elements as float32 into memory at `start` and checks that they are finite.
    ///
    /// - Parameters:
    ///   - elements: their indices, whole blocks.
    ///   - gathered: the numbers, if they are not contiguous in the file.
    ///   - stored: scratch memory for `size(of:)` bytes; not needed for float32.
    func read(
        _ elements: Range<Int>, _ gathered: StridedElements?, stored: UnsafeMutableRawPointer?,
        into start: UnsafeMutablePointer<Float>
    ) throws(ModelError) {
        do throws(FileError) {
            if type == .f32 {
                unsafe try read(elements, gathered, into: start)
            } else if let stored = unsafe stored {
                unsafe try read(elements, gathered, into: stored)
                if let scales {
                    unsafe try unpack(stored, elements, scales, into: start)
                } else {
                    unsafe Self.unpack(stored, elements.count, as: type, into: start)
                }
            }
        } catch { throw ModelError(error, path: file.path) }
        if let index = unsafe Tensor.firstNonFinite(start, elements.count) {
            throw .notFinite(path: file.path, tensor: name, index: elements.lowerBound + index)
        }
    }

    /// Fits in a quarter of a core's L2 cache; a multiple of all block lengths.
    private static let chunkLength = 1 << 16

    /// The number of bytes of elements in the file.
    func size(of elements: Int) -> Int { elements / type.blockLength * type.blockBytes }

    /// Copies the stored bytes of elements to memory at `start`.
    private func read(
        _ elements: Range<Int>, _ gathered: StridedElements?, into start: UnsafeMutableRawPointer
    ) throws(FileError) {
        if let gathered { return unsafe gathered.copy(elements, to: start) }
        let first = bytes.lowerBound + size(of: elements.lowerBound)
        unsafe try file.read(first..<(first + size(of: elements.count)), into: start)
    }

    /// Decodes `count` elements, whole blocks.
    static func unpack(
        _ from: UnsafeRawPointer, _ count: Int, as type: ElementType, into to: UnsafeMutablePointer<Float>
    ) {
        let blocks = count / type.blockLength, size = type.blockBytes
        switch type {
        case .f32:
            unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: 4 * count)
        case .f16:
            unsafe ck_widen_half(from, to, count)
        case .bf16:
            unsafe ck_widen_bfloat(from, to, count)
        case .f64:
            for i in 0..<count {
                let bits = UInt64(littleEndian: unsafe (from + 8 * i).loadUnaligned(as: UInt64.self))
                unsafe to[i] = Float(Double(bitPattern: bits))
            }
        case .int8, .int16:
            preconditionFailure("\(type) without scales")
        case .q4_0:
            for block in 0..<blocks { unsafe unpackQ40(from + block * size, to + block * 32) }
        case .q4_1:
            for block in 0..<blocks { unsafe unpackQ41(from + block * size, to + block * 32) }
        case .q5_0:
            for block in 0..<blocks { unsafe unpackQ50(from + block * size, to + block * 32) }
        case .q5_1:
            for block in 0..<blocks { unsafe unpackQ51(from + block * size, to + block * 32) }
        case .q8_0:
            for block in 0..<blocks { unsafe unpackQ80(from + block * size, to + block * 32) }
        }
    }

    /// Unpacks integers as CTranslate2 does: multiplied with the reciprocal of their scale, in float32.
    private func unpack(
        _ from: UnsafeRawPointer, _ elements: Range<Int>, _ scales: TensorScales,
        into to: UnsafeMutablePointer<Float>
    ) throws(FileError) {
        let count = scales.bytes.count / TensorScales.size
        let rows =
            min(
                count - 1, elements.lowerBound / scales.length)...min(
                count - 1, (elements.upperBound - 1) / scales.length)
        let start = scales.bytes.lowerBound
        let stored = try file.bytes(
            (start + TensorScales.size * rows.lowerBound)..<(start + TensorScales.size * (rows.upperBound + 1)))
        for row in rows {
            let bits = (0..<TensorScales.size).reduce(UInt32(0)) {
                $0 | UInt32(stored[TensorScales.size * (row - rows.lowerBound) + $1]) << UInt32(8 * $1)
            }
            let scale = Float(bitPattern: bits)
            // An infinite scale would silently turn the row into zeros; NaN is reported.
            let factor = scale.isFinite ? 1 / scale : .nan
            let first = count == 1 ? elements.lowerBound : max(elements.lowerBound, row * scales.length)
            let end = count == 1 ? elements.upperBound : min(elements.upperBound, (row + 1) * scales.length)
            let out = unsafe to + (first - elements.lowerBound)
            let bytes = unsafe from + (first - elements.lowerBound) * type.blockBytes
            if type == .int8 {
                for i in 0..<(end - first) {
                    unsafe out[i] = Float(bytes.load(fromByteOffset: i, as: Int8.self)) * factor
                }
            } else {
                for i in 0..<(end - first) {
                    let number = Int16(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self))
                    unsafe out[i] = Float(number) * factor
                }
            }
        }
    }

    // Byte j of 16 has element j in its low nibble and element j + 16 in its high nibble; `fifth` has the fifth bits in
    // element order. Scale and minimum are float16.

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
    /// The index of the first NaN or infinity of `count` numbers.
    fileprivate static func firstNonFinite(_ numbers: UnsafePointer<Float>, _ count: Int) -> Int? {
        if unsafe ck_magnitude_bits(numbers, count) < Float.infinity.bitPattern { return nil }
        return (0..<count).first { unsafe !numbers[$0].isFinite }
    }

    /// Whether all elements are 0.
    package var isZero: Bool { unsafe ck_magnitude_bits(base, count) == 0 }
}
