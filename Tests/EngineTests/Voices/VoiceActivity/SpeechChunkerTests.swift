// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those of the stored files.

import Foundation
import Testing

@Suite("Speech chunker")
struct SpeechChunkerTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Chunk: Decodable {
                let start: Int
                let end: Int
            }
            let chunks: [Chunk]
            let max_seconds: Limit
            let lengths: [Int]
        }
        let cases: [Case]
    }

    /// A number or "inf".
    struct Limit: Decodable {
        let seconds: Double

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            seconds = (try? value.decode(Double.self)) ?? .infinity
        }
    }

    @Test("segments are grouped like in faster-whisper")
    func golden() throws {
        let cases = try Fixtures.json("faster/collect.json", as: File.self).cases
        #expect(cases.count == 60)
        for one in cases {
            let segments = one.chunks.map { $0.start..<$0.end }
            var chunker = SpeechChunker(seconds: one.max_seconds.seconds)
            let chunks = segments.compactMap { chunker.add($0) } + [chunker.finish()].compactMap { $0 }
            #expect(chunker.finish() == nil)
            // faster-whisper emits an empty chunk before a first segment that is too long.
            #expect(chunks.map { $0.map(\.count).reduce(0, +) } == one.lengths.filter { $0 > 0 })
            #expect(chunks.flatMap(\.self) == segments)
        }
    }
}
