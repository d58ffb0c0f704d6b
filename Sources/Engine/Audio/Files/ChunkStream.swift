/// Hands out a recording's chunks one by one; lives in one task at a time.
protocol ChunkReader: AnyObject {
    /// Whether the writer of a pipe is behind, so that the next chunk would have to be waited for.
    var isStalled: Bool { get }

    /// The next chunk, `nil` at the end.
    func next() throws -> AudioChunk?
}

/// Turns a reader into a stream that is pulled: nothing is read before it is asked for, so that a slow listener holds
/// back a fast file, and a cancelled one stops it within a chunk.
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
            // The few threads that all tasks share are not for waiting.
            while current.isStalled { try await Task.sleep(for: .milliseconds(10)) }
            if let chunk = try current.next() { return chunk }
        } catch {
            finish()
            throw Task.isCancelled ? CancellationError() : error
        }
        finish()
        return nil
    }

    /// Lets go of the file as soon as nothing more can come from it.
    private func finish() {
        isAtEnd = true
        reader = nil
    }
}
