internal import CZlib

/// How repetitive a text is, measured by how well zlib compresses it.
///
/// The only file that calls libz. Invariant: both buffers outlive the call and libz is given their sizes; the output
/// has the capacity that libz itself names as sufficient.
package enum CompressionRatio {
    /// UTF-8 bytes of the text per byte of its zlib stream (level 6); 0 for an empty text.
    ///
    /// Ordinary speech stays below 2.4.
    package static func of(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        let compressed = compressedCount(bytes)
        return compressed > 0 ? Double(bytes.count) / Double(compressed) : 0
    }

    /// Length of the zlib stream (2-byte header, 4-byte checksum, default window and strategy); 0 when libz runs out of
    /// memory.
    private static func compressedCount(_ bytes: [UInt8]) -> Int {
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
