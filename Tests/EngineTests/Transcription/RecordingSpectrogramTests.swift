import Testing

@Suite("Recording spectrogram")
struct RecordingSpectrogramTests {
    private struct Source: AudioSource {
        let samples: [Float]
        let chunkSize: Int

        var duration: Duration? { nil }

        func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
            AsyncThrowingStream { continuation in
                for start in stride(from: 0, to: samples.count, by: chunkSize) {
                    let chunk = Array(samples[start..<min(start + chunkSize, samples.count)])
                    continuation.yield(AudioChunk(start: start, samples: chunk))
                }
                continuation.finish()
            }
        }
    }

    /// 16-bit noise that starts with silence and is loudest at a random position.
    private static func noise(_ count: Int, seed: UInt64) -> [Float] {
        var generator = SplitMix64(seed: seed)
        let loud = Int.random(in: 0...count, using: &generator),
            silent = Int.random(in: 0...(count / 3), using: &generator)
        return (0..<count).map { index in
            let level = index < silent ? 0 : abs(index - loud) < 4000 ? 9000 : 300
            return Float(Int.random(in: -level...level, using: &generator)) / 32_768
        }
    }

    @Test(
        "windows equal those of the whole spectrogram bit for bit, in any order, with and without computing ahead",
        arguments: [0, 1, 159, 4000, 479_900, 480_600, 1_000_000, 1_700_000], [1000, 16_000, 500_000])
    func equal(count: Int, chunkSize: Int) async throws {
        let noise = Self.noise(count, seed: UInt64(count + chunkSize))
        let spectrogram = LogMelSpectrogram(bands: 80)
        let frames = LogMelSpectrogram.contentFrames(samples: count)
        let read = { (range: Range<Int>) in Array(noise[range.clamped(to: noise.indices)]) }
        let loudest = spectrogram.loudest(sampleCount: count, read: read)
        for ahead in [false, true] {
            let samples = SampleStore()
            let scan = ahead ? LoudnessScan(spectrogram, of: samples) : nil
            let summary = try await RecordingReader().read(
                Source(samples: noise, chunkSize: chunkSize), into: samples, scan: scan)
            #expect(summary.count == count && scan.map { $0.loudest == loudest } ?? true)
            let recording = RecordingSpectrogram(
                spectrogram, of: RecordedAudio(samples, summary, scan: scan), ahead: ahead)
            for first in [0, 2871, 2871, 5601, 300, frames - 900, frames - 1] where first >= 0 {
                var expected = spectrogram.logarithms(first..<(first + 3000), sampleCount: count, read: read)
                LogMelSpectrogram.scale(&expected, loudest: loudest)
                #expect(try recording.logMel(first..<(first + 3000)) == expected, "from \(first)")
            }
        }
    }
}
