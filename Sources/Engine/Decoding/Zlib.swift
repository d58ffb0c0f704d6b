internal import CZlib

/// The one place where libz is called.
///
/// Invariant: both buffers outlive the call, and libz is told their sizes; the output has the size that libz itself
/// names as sufficient.
enum Zlib {
    /// Length of the zlib stream (container of 2 + 4 bytes, level 6, default window and strategy) of some bytes;
    /// 0 where libz has no memory left.
    static func compressedCount(_ bytes: [UInt8]) -> Int {
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
}
