/// Puts stretches of speech together so that each part fits into a window: faster-whisper's `collect_chunks`.
package enum SpeechChunks {
    /// - Parameters:
    ///   - stretches: in order.
    ///   - seconds: most speech of a part; a longer stretch is a part of its own.
    package static func pack(_ stretches: [Range<Int>], seconds: Double) -> [[Range<Int>]] {
        var parts: [[Range<Int>]] = []
        var count = 0
        for stretch in stretches where !stretch.isEmpty {
            if parts.isEmpty || Double(count + stretch.count) > seconds * Double(AudioChunk.sampleRate) {
                parts.append([])
                count = 0
            }
            parts[parts.count - 1].append(stretch)
            count += stretch.count
        }
        return parts
    }
}
