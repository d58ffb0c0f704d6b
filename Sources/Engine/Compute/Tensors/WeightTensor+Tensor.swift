import CKernels
import Synchronization

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
        try eachChunk(backend) { chunks, failed in
            var buffer = type == .f32 ? [] : [UInt8](repeating: 0, count: size(of: min(count, Self.chunkLength)))
            for chunk in chunks {
                do throws(ModelError) {
                    try write(elements(of: chunk), gathered, to: tensor, at: offset, using: &buffer)
                } catch { return failed(chunk, error) }
            }
        }
    }

    /// Reads the elements of a float16 tensor unconverted into memory at `start`; throws like `floats`.
    func readHalves(into start: UnsafeMutablePointer<UInt16>, by backend: any ComputeBackend) throws {
        precondition(type == .f16, "\(type)")
        let gathered = try StridedElements(self)
        try eachChunk(backend) { chunks, failed in
            for chunk in chunks {
                let elements = elements(of: chunk)
                do throws(FileError) {
                    unsafe try read(elements, gathered, into: UnsafeMutableRawPointer(start + elements.lowerBound))
                } catch { return failed(chunk, ModelError(error, path: file.path)) }
                // Infinities and NaN have all exponent bits set.
                let isFinite = { (index: Int) in unsafe UInt16(littleEndian: start[index]) & 0x7fff < 0x7c00 }
                var greatest: UInt16 = 0
                for index in elements { greatest = max(greatest, unsafe start[index] & 0x7fff) }
                if greatest >= 0x7c00, let index = elements.first(where: { !isFinite($0) }) {
                    return failed(chunk, .notFinite(path: file.path, tensor: name, index: index))
                }
            }
        }
    }

    /// Processes the chunks in parallel and throws the failure of the first failing chunk, regardless of timing.
    private func eachChunk(
        _ backend: (any ComputeBackend)?,
        _ body: (_ chunks: Range<Int>, _ failed: (Int, ModelError) -> Void) -> Void
    ) throws(ModelError) {
        let failure = Mutex<(chunk: Int, error: ModelError)?>(nil)
        let chunks = (count + Self.chunkLength - 1) / Self.chunkLength
        let failed = { (chunk: Int, error: ModelError) in
            failure.withLock { if chunk < $0?.chunk ?? Int.max { $0 = (chunk, error) } }
        }
        if let backend {
            backend.share(chunks, minimum: 1) { body($0, failed) }
        } else {
            body(0..<chunks, failed)
        }
        if let error = failure.withLock({ $0?.error }) { throw error }
    }

    private func elements(of chunk: Int) -> Range<Int> {
        (chunk * Self.chunkLength)..<min(count, (chunk + 1) * Self.chunkLength)
    }

    private func write(
        _ elements: Range<Int>, _ gathered: StridedElements?, to tensor: Tensor, at offset: Int,
        using buffer: inout [UInt8]
    ) throws(ModelError) {
        let target = (offset + elements.lowerBound)..<(offset + elements.upperBound)
        do throws(FileError) {
            try fill(tensor, target, with: elements, gathered, using: &buffer)
        } catch { throw ModelError(error, path: file.path) }
        if let index = tensor.firstNonFinite(in: target) {
            throw .notFinite(path: file.path, tensor: name, index: index - offset)
        }
    }

    /// Fits in a quarter of a core's L2 cache; a multiple of all block lengths.
    private static let chunkLength = 1 << 16

    private func size(of elements: Int) -> Int { elements / type.blockLength * type.blockBytes }

    /// - Parameters:
    ///   - target: where in `tensor` the numbers are written.
    ///   - elements: the indices of the numbers in this tensor.
    ///   - gathered: the numbers, if they are not contiguous in the file.
    private func fill(
        _ tensor: Tensor, _ target: Range<Int>, with elements: Range<Int>, _ gathered: StridedElements?,
        using buffer: inout [UInt8]
    ) throws(FileError) {
        let to = unsafe tensor.base + target.lowerBound
        if type == .f32 { return unsafe try read(elements, gathered, into: to) }
        var failure: FileError?
        unsafe buffer.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            do throws(FileError) {
                unsafe try read(elements, gathered, into: start)
                if let scales {
                    unsafe try unpack(start, elements, scales, into: to)
                } else {
                    unsafe unpack(start, elements.count, into: to)
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Copies the stored bytes of elements to memory at `start`.
    private func read(
        _ elements: Range<Int>, _ gathered: StridedElements?, into start: UnsafeMutableRawPointer
    ) throws(FileError) {
        if let gathered { return unsafe gathered.copy(elements, to: start) }
        let first = bytes.lowerBound + size(of: elements.lowerBound)
        unsafe try file.read(first..<(first + size(of: elements.count)), into: start)
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
        case .f64:
            for i in 0..<count {
                let bits = UInt64(littleEndian: unsafe (from + 8 * i).loadUnaligned(as: UInt64.self))
                unsafe to[i] = Float(Double(bitPattern: bits))
            }
        case .int8, .int16:
            preconditionFailure("\(name) has no scales")
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
    /// The index of the first NaN or infinity in `range`.
    func firstNonFinite(in range: Range<Int>) -> Int? {
        if greatestBits(in: range) < Float.infinity.bitPattern { return nil }
        return range.first { !self[$0].isFinite }
    }

    /// Whether all elements are 0.
    package var isZero: Bool { greatestBits(in: 0..<count) == 0 }

    /// The maximum bit pattern without sign. NaN and infinities are at or above that of infinity.
    private func greatestBits(in range: Range<Int>) -> UInt32 {
        var greatest: UInt32 = 0
        for i in range { greatest = max(greatest, unsafe base[i].bitPattern & 0x7fff_ffff) }
        return greatest
    }
}
