import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Audio of streaming sessions")
struct StreamAudioTests {
    private static func audio(
        _ rate: Int = 16_000, _ encoding: StreamingParameters.Encoding = .pcm16
    ) -> StreamAudio {
        StreamAudio(encoding.samples, sampleRate: rate)
    }

    @Test("bytes may be split anywhere")
    func splits() {
        let bytes = (0..<2001).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) }
        var whole = Self.audio()
        let expected = whole.samples(bytes)
        #expect(expected.count == 1000 && whole.seconds == 0.0625)
        var random = SplitMix64(seed: 1)
        for _ in 0..<50 {
            var audio = Self.audio()
            var samples: [Float] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...40, using: &random))
                rest = rest.dropFirst(part.count)
                samples += audio.samples(Array(part))
            }
            #expect(samples == expected)
        }
    }

    @Test("16-bit samples are little-endian")
    func pcm16() {
        var audio = Self.audio()
        #expect(audio.samples([0x00, 0x40, 0x00, 0xc0, 0xff, 0x7f, 0x00, 0x80]) == [0.5, -0.5, 32767 / 32768, -1])
    }

    @Test("mu-law is decoded according to G.711")
    func muLaw() {
        var audio = Self.audio(16_000, .muLaw)
        // The largest and smallest magnitudes of the standard, scaled to 16 bits.
        #expect(audio.samples([0x00, 0x80, 0xff, 0x7f]) == [-32124 / 32768, 32124 / 32768, 0, 0])
        #expect(audio.seconds == 0.00025)
    }

    @Test("any rate becomes 16 kHz of the same duration and pitch", arguments: [8000, 11_025, 44_100, 48_000, 96_000])
    func rates(rate: Int) {
        var audio = Self.audio(rate)
        let bytes = (0..<rate).flatMap { index -> [UInt8] in
            let value = Int16(8000 * sin(2 * Double.pi * 440 * Double(index) / Double(rate)))
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        var samples: [Float] = []
        for start in stride(from: 0, to: bytes.count, by: 999) {
            samples += audio.samples(Array(bytes[start..<min(start + 999, bytes.count)]))
        }
        samples += audio.finish()
        #expect(samples.count == 16_000 && audio.seconds == 1)
        for index in stride(from: 2000, to: 14_000, by: 37) {
            let expected = 8000 / 32768 * sin(2 * Double.pi * 440 * Double(index) / 16_000)
            #expect(abs(Double(samples[index]) - expected) < 1e-3)
        }
        #expect(audio.milliseconds([UInt8](repeating: 0, count: 2 * rate)) == 1000)
    }
}
