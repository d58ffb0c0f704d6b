import WhisperEngine

/// Saves captured audio in the background, so that a slow disk does not delay recognition.
final class BackgroundRecorder: Sendable {
    private let samples: AsyncStream<[Float]>.Continuation
    private let writing: Task<RecorderError?, Never>

    /// - Parameters:
    ///   - start: the session clock's first sample; the recording is padded with silence up to it.
    ///   - onFailure: called with the first error; transcription continues without the recording.
    init(
        _ recorder: WAVRecorder, start: Int, onFailure: @escaping @Sendable (RecorderError) -> Void
    ) {
        let (stream, continuation) = AsyncStream<[Float]>.makeStream()
        samples = continuation
        writing = Task {
            var failure: RecorderError?
            func handle(_ error: any Error) {
                guard failure == nil, let error = error as? RecorderError else { return }
                failure = error
                onFailure(error)
            }
            var missing = start - recorder.startSamples
            while missing > 0 {
                let count = min(missing, AudioChunk.sampleRate)
                do { try await recorder.append([Float](repeating: 0, count: count)) } catch { handle(error) }
                missing -= count
            }
            for await samples in stream {
                do { try await recorder.append(samples) } catch { handle(error) }
            }
            do { try await recorder.close() } catch { handle(error) }
            return failure
        }
    }

    func append(_ samples: [Float]) { self.samples.yield(samples) }

    /// Completes the file.
    ///
    /// - Returns: the first error, if any.
    func close() async -> RecorderError? {
        samples.finish()
        return await writing.value
    }
}
