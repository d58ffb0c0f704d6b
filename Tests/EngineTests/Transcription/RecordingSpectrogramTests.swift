import Testing
import WhisperEngine

@Suite("The spectrogram of a recording")
struct RecordingSpectrogramTests {
    private struct Source: AudioSource {
        let samples: [Float]
        let piece: Int

        var duration: Duration? { nil }

        func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
            AsyncThrowingStream { continuation in
                for start in stride(from: 0, to: samples.count, by: piece) {
                    let part = Array(samples[start..<min(start + piece, samples.count)])
                    continuation.yield(AudioChunk(start: start, samples: part))
                }
                continuation.finish()
            }
        }
    }

    /// Noise in 16 bits that is loudest at a random place, silent for a while at its start.
    private static func sound(_ count: Int, seed: UInt64) -> [Float] {
        var generator = SplitMix64(seed: seed)
        let loud = Int.random(in: 0...count, using: &generator),
            silent = Int.random(in: 0...(count / 3), using: &generator)
        return (0..<count).map { index in
            let level = index < silent ? 0 : abs(index - loud) < 4000 ? 9000 : 300
            return Float(Int.random(in: -level...level, using: &generator)) / 32_768
        }
    }

    @Test(
        "windows are bit by bit those of the whole spectrogram, in any order, computed ahead or not",
        arguments: [0, 1, 159, 4000, 479_900, 480_600, 1_000_000, 1_700_000], [1000, 16_000, 500_000])
    func equal(count: Int, piece: Int) async throws {
        let sound = Self.sound(count, seed: UInt64(count + piece))
        let spectrogram = LogMelSpectrogram(bands: 80)
        let frames = LogMelSpectrogram.contentFrames(samples: count)
        let read = { (range: Range<Int>) in Array(sound[range.clamped(to: sound.indices)]) }
        let loudest = spectrogram.loudest(sampleCount: count, read: read)
        for ahead in [false, true] {
            let samples = SampleStore()
            let scan = ahead ? LoudnessScan(spectrogram, of: samples) : nil
            let found = try await RecordingReader().read(
                Source(samples: sound, piece: piece), into: samples, scan: scan)
            #expect(found.count == count && found.loudest == (ahead ? loudest : nil))
            let recording = RecordingSpectrogram(spectrogram, samples: samples, found: found, ahead: ahead)
            for first in [0, 2871, 2871, 5601, 300, frames - 900, frames - 1] where first >= 0 {
                var expected = spectrogram.logarithms(first..<(first + 3000), sampleCount: count, read: read)
                LogMelSpectrogram.scale(&expected, loudest: loudest)
                #expect(try recording.logMel(first..<(first + 3000)) == expected, "from \(first)")
            }
        }
    }
}
