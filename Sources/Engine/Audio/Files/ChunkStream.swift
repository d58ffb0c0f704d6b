/// Reads a recording chunk by chunk; used by one task at a time.
protocol ChunkReader: AnyObject {
    /// Whether the next chunk would have to wait for the writer of a pipe.
    var isStalled: Bool { get }

    /// Returns the next chunk, `nil` at the end.
    func next() throws -> AudioChunk?
}

/// Turns a reader into a pull-based stream: nothing is read before it is requested, so that a slow consumer holds back a
/// fast file, and cancellation takes effect within one chunk.
actor ChunkStream {
    private let make: @Sendable () throws -> any ChunkReader
    private var reader: (any ChunkReader)?
    private var isAtEnd = false

    private init(_ make: @escaping @Sendable () throws -> any ChunkReader) {
        self.make = make
    }

    static func start(
        _ make: @escaping @Sendable () throws -> any ChunkReader
    ) -> AsyncThrowingStream<AudioChunk, any Error> {
        let stream = ChunkStream(make)
        return AsyncThrowingStream(unfolding: { try await stream.next() })
    }

    private func next() async throws -> AudioChunk? {
        guard !isAtEnd else { return nil }
        do {
            try Task.checkCancellation()
            let current = try reader ?? make()
            reader = current
            // Tasks share few threads, which must not block.
            while current.isStalled { try await Task.sleep(for: .milliseconds(10)) }
            if let chunk = try current.next() { return chunk }
        } catch {
            finish()
            throw Task.isCancelled ? CancellationError() : error
        }
        finish()
        return nil
    }

    /// Releases the file as soon as no more samples can follow.
    private func finish() {
        isAtEnd = true
        reader = nil
    }
}

/// Splits 16 kHz samples into chunks of one second.
struct ChunkAssembler {
    private var pending: [Float] = []
    private var start = 0

    /// Samples returned and pending.
    var count: Int { start + pending.count }

    var isFull: Bool { pending.count >= AudioChunk.sampleRate }

    mutating func append(_ samples: [Float]) {
        pending += samples
    }

    /// Returns the next complete chunk; at the end also the incomplete last one.
    mutating func next(isAtEnd: Bool) -> AudioChunk? {
        guard isFull || isAtEnd && !pending.isEmpty else { return nil }
        let length = min(pending.count, AudioChunk.sampleRate)
        let chunk = AudioChunk(start: start, samples: Array(pending[..<length]))
        pending.removeFirst(length)
        start += length
        return chunk
    }
}
