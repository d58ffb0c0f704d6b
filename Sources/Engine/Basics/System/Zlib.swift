internal import CZlib

/// zlib's compression, decompression and checksum.
///
/// The only file that calls libz. Invariant: all buffers outlive the calls and libz is given their sizes; compressed
/// output has the capacity that libz itself names as sufficient.
package enum Zlib {
    /// The length of the zlib stream of `bytes` (level 6, 2-byte header, 4-byte checksum, default window and strategy);
    /// 0 if libz runs out of memory.
    package static func compressedCount(_ bytes: [UInt8]) -> Int {
        let capacity = Int(compressBound(uLong(bytes.count)))
        var count = uLongf(capacity)
        let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, written in
            let status = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe compress2(output.baseAddress, &count, input.baseAddress, uLong(input.count), 6)
            }
            written = status == Z_OK ? Int(count) : 0
        }
        return output.count
    }

    /// Decompresses a whole zlib stream of `count` bytes; `nil` if it is damaged or has another length.
    package static func decompressed(_ stream: UnsafeBufferPointer<UInt8>, count: Int) -> [UInt8]? {
        var length = uLongf(count)
        var status = Z_OK
        let output = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, written in
            status = unsafe uncompress(output.baseAddress, &length, stream.baseAddress, uLong(stream.count))
            written = status == Z_OK ? Int(length) : 0
        }
        return status == Z_OK && output.count == count ? output : nil
    }

    /// The CRC-32 of `bytes`, as in ZIP and gzip.
    ///
    /// - Parameter start: the CRC-32 of the preceding bytes.
    package static func crc32(_ bytes: [UInt8], after start: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: unsafe CZlib.crc32_z(uLong(start), buffer.baseAddress, buffer.count))
        }
    }
}
