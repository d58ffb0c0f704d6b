import EngineBasics

/// How repetitive a text is, measured by how well zlib compresses it.
package enum CompressionRatio {
    /// UTF-8 bytes of the text per byte of its zlib stream (level 6); 0 for an empty text.
    ///
    /// Ordinary speech stays below `TextThresholds.compressionRatio`.
    package static func of(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        let compressed = Zlib.compressedCount(bytes)
        return compressed > 0 ? Double(bytes.count) / Double(compressed) : 0
    }
}
