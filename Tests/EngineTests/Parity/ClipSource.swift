import WhisperEngine

/// Samples at hand as a recording.
struct ClipSource: AudioSource {
    let samples: [Float]

    var duration: Duration? { .seconds(Double(samples.count) / 16_000) }

    func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        AsyncThrowingStream { continuation in
            for start in stride(from: 0, to: samples.count, by: 16_000) {
                continuation.yield(
                    AudioChunk(start: start, samples: Array(samples[start..<min(start + 16_000, samples.count)])))
            }
            continuation.finish()
        }
    }
}
