import WhisperEngine

/// A recording of which at most a certain length is read: a small file can claim, or yield, days of audio.
struct LimitedSource: AudioSource {
    struct TooLong: Error {
        let seconds: Double
    }

    private let source: any AudioSource
    private let seconds: Double

    /// - Parameter end: where reading will end at the latest, seconds of the recording.
    /// - Throws: `TooLong` if the recording declares to be, so that it need not be read.
    init(_ source: any AudioSource, seconds: Double, end: Double) throws(TooLong) {
        if let length = source.declaredDuration, min(length / .seconds(1), end - source.start / .seconds(1)) > seconds {
            throw TooLong(seconds: seconds)
        }
        self.source = source
        self.seconds = seconds
    }

    var duration: Duration? { source.duration }
    var start: Duration { source.start }
    var warnings: [AudioFile.Warning] { source.warnings }

    func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        let reader = Reader(source, seconds: seconds)
        return AsyncThrowingStream { try await reader.next() }
    }

    private actor Reader {
        private let seconds: Double
        private let iterator: AsyncThrowingStream<AudioChunk, any Error>.Iterator

        init(_ source: any AudioSource, seconds: Double) {
            self.seconds = seconds
            iterator = source.chunks().makeAsyncIterator()
        }

        func next() async throws -> AudioChunk? {
            // Copies of an iterator share its position.
            var iterator = iterator
            guard let chunk = try await iterator.next(isolation: self) else { return nil }
            let end = AudioChunk.seconds(of: chunk.start + chunk.samples.count)
            guard end <= seconds else { throw TooLong(seconds: seconds) }
            return chunk
        }
    }
}
