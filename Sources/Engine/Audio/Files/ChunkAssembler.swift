/// Cuts a run of 16 kHz samples into chunks of one second, with positions counted from the start.
struct ChunkAssembler {
    private var pending: [Float] = []
    private var start = 0

    /// Samples given out and held.
    var count: Int { start + pending.count }

    var isFull: Bool { pending.count >= AudioChunk.sampleRate }

    mutating func append(_ samples: [Float]) {
        pending += samples
    }

    /// A whole chunk; at the end also what is left.
    mutating func next(isAtEnd: Bool) -> AudioChunk? {
        guard isFull || isAtEnd && !pending.isEmpty else { return nil }
        let length = min(pending.count, AudioChunk.sampleRate)
        let chunk = AudioChunk(start: start, samples: Array(pending[..<length]))
        pending.removeFirst(length)
        start += length
        return chunk
    }
}
