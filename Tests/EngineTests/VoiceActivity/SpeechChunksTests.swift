// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those of the stored files.

import Foundation
import Testing
import WhisperEngine

@Suite("Speech chunks")
struct SpeechChunksTests {
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

    @Test("speech is packed as faster-whisper packs it")
    func golden() throws {
        let cases = try Fixtures.json("faster/collect.json", as: File.self).cases
        #expect(cases.count == 60)
        for one in cases {
            let stretches = one.chunks.map { $0.start..<$0.end }
            var chunks = SpeechChunker(seconds: one.max_seconds.seconds)
            let parts = stretches.compactMap { chunks.add($0) } + [chunks.finish()].compactMap { $0 }
            #expect(chunks.finish() == nil)
            // The program leaves an empty part before a first stretch that is too long.
            #expect(parts.map { $0.map(\.count).reduce(0, +) } == one.lengths.filter { $0 > 0 })
            #expect(parts.flatMap(\.self) == stretches)
        }
    }
}
