import WhisperEngine

/// Saves what is heard, in its order, without holding up who hears it.
final class AudioKeeper: Sendable {
    private let samples: AsyncStream<[Float]>.Continuation
    private let work: Task<RecorderError?, Never>

    /// - Parameters:
    ///   - start: samples on the session's clock; what is missing before them in the file is silence.
    ///   - onFailure: told once, the text goes on without the sound.
    init(
        _ recorder: WAVRecorder, start: Int, onFailure: @escaping @Sendable (RecorderError) -> Void
    ) {
        let (stream, continuation) = AsyncStream<[Float]>.makeStream()
        samples = continuation
        work = Task {
            var failure: RecorderError?
            func note(_ error: any Error) {
                guard failure == nil, let error = error as? RecorderError else { return }
                failure = error
                onFailure(error)
            }
            var missing = start - recorder.startSamples
            while missing > 0 {
                let count = min(missing, AudioChunk.sampleRate)
                do { try await recorder.append([Float](repeating: 0, count: count)) } catch { note(error) }
                missing -= count
            }
            for await samples in stream {
                do { try await recorder.append(samples) } catch { note(error) }
            }
            do { try await recorder.close() } catch { note(error) }
            return failure
        }
    }

    func hear(_ samples: [Float]) { self.samples.yield(samples) }

    /// Completes the file.
    ///
    /// - Returns: what could not be written.
    func close() async -> RecorderError? {
        samples.finish()
        return await work.value
    }
}
