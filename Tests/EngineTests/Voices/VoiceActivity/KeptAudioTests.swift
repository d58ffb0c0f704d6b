import Foundation
import Testing

@Suite("Kept audio")
struct KeptAudioTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Chunk: Decodable {
                let start: Int
                let end: Int
            }
            struct Times: Decodable {
                let start: Double
                let end: Double
                let words: [[Double]]?
            }
            let chunks: [Chunk]
            let before: [Times]
            let after: [Times]
        }
        let cases: [Case]
    }

    /// Rounded to two decimals, as in faster-whisper's output.
    private func rounded(_ time: Double) -> Double { (time * 100).rounded() / 100 }

    @Test("restored times equal faster-whisper's, clamped to the range that contains the middle of the word")
    func golden() throws {
        let cases = try Fixtures.json("faster/restore.json", as: File.self).cases
        #expect(cases.count == 25)
        var limited = 0
        for one in cases {
            let kept = KeptAudio(one.chunks.map { $0.start..<$0.end })
            for (before, after) in zip(one.before, one.after) {
                let pairs =
                    (before.words ?? []).isEmpty ? [] : zip(before.words ?? [], after.words ?? []).map { ($0, $1) }
                if pairs.isEmpty {
                    let first = try #require(kept.rangeIndex(at: before.start))
                    let last = try #require(kept.rangeIndex(at: before.end, isEnd: true))
                    #expect(abs(rounded(kept.originalTime(before.start, in: first)) - after.start) < 0.0101)
                    #expect(abs(rounded(kept.originalTime(before.end, in: last)) - after.end) < 0.0101)
                }
                for (word, expected) in pairs {
                    let index = try #require(kept.rangeIndex(at: (word[0] + word[1]) / 2))
                    let bounds = kept.ranges[index]
                    for (time, expected) in zip(word, expected) {
                        let restored = kept.originalTime(time, in: index)
                        let edges = [Double(bounds.lowerBound) / 16000, Double(bounds.upperBound) / 16000]
                        if edges.contains(restored) {
                            // faster-whisper lets a word extend into the silence that was cut out.
                            limited += 1
                            #expect(expected <= edges[0] + 0.0051 || expected >= edges[1] - 0.0051)
                        } else {
                            #expect(abs(restored - expected) < 0.0051)
                        }
                    }
                }
            }
        }
        #expect(limited > 0)
    }

    @Test("joined samples map to the original ranges")
    func originals() {
        let kept = KeptAudio([10..<20, 30..<30, 40..<45, 100..<200])
        #expect(kept.count == 115 && kept.ranges.count == 3)
        #expect(kept.originalRanges(of: 0..<115) == [10..<20, 40..<45, 100..<200])
        #expect(kept.originalRanges(of: 5..<12) == [15..<20, 40..<42])
        #expect(kept.originalRanges(of: 15..<16) == [100..<101])
        #expect(kept.originalRanges(of: 10..<10).isEmpty && kept.originalRanges(of: 115..<120).isEmpty)
        #expect(KeptAudio([]).originalRanges(of: 0..<5).isEmpty && KeptAudio([]).rangeIndex(at: 0) == nil)
    }

    @Test("every sample maps back to itself")
    func everySample() throws {
        let kept = KeptAudio([1600..<3200, 8000..<8160, 16000..<24000])
        for sample in stride(from: 0, to: kept.count, by: 7) {
            let seconds = (Double(sample) + 0.5) / 16000
            let index = try #require(kept.rangeIndex(at: seconds))
            let original = try #require(kept.originalRanges(of: sample..<(sample + 1)).first)
            #expect(abs(kept.originalTime(seconds, in: index) - (Double(original.lowerBound) + 0.5) / 16000) < 1e-9)
        }
    }
}
