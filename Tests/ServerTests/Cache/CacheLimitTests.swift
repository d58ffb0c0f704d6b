import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Size of the cache")
struct CacheLimitTests {
    private let fixture: CacheFixture
    private static let limit = 4 << 20

    init() throws { fixture = try CacheFixture() }

    private func store(_ number: Int, bytes: Int, in cache: TranscriptCache) async {
        let text = CacheFixture.longText(number, bytes: bytes)
        await cache.store(
            CacheFixture.transcript(text), CacheFixture.key("\(number)"), seconds: 1, aliases: ["youtube:\(number)"])
    }

    @Test("the least recently used transcript is removed first")
    func order() async throws {
        let cache = try fixture.cache(limit: Self.limit)
        // Each is stored twice: as the text of the transcript and of its segment.
        for number in 0..<10 { await store(number, bytes: 100_000, in: cache) }
        // Uses count, not the time of storing, and not the wall clock.
        fixture.wait(days: -400)
        for number in [0, 5, 3] { #expect(await cache.lookup(CacheFixture.key("\(number)")) != nil) }
        for number in 10..<17 { await store(number, bytes: 100_000, in: cache) }
        let kept = try await cache.entries().flatMap(\.videos).map { Int($0.dropFirst(8)) ?? -1 }
        let order = [16, 15, 14, 13, 12, 11, 10, 3, 5, 0, 9, 8, 7, 6, 4, 2, 1]
        #expect((10...16).contains(kept.count))
        #expect(kept == Array(order.prefix(kept.count)))
        #expect(fixture.failures == [])
    }

    @Test("the files never exceed the limit, whatever the sizes of the transcripts", arguments: [1, 2, 3])
    func limit(seed: UInt64) async throws {
        var random = seed
        func next(_ bound: UInt64) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % bound)
        }
        let cache = try fixture.cache(limit: Self.limit)
        var peak = 0
        for number in 0..<400 {
            let bytes = [30, 500, 5000, 60_000, 125_000][next(5)]
            await store(number, bytes: next(UInt64(bytes)) + 10, in: cache)
            _ = await cache.lookup(CacheFixture.key("\(next(UInt64(number + 1)))"))
            peak = max(peak, fixture.bytes)
        }
        #expect(peak <= Self.limit)
        // It is used, too.
        #expect(peak > Self.limit / 2)
        #expect(try await cache.statistics().entries > 10)
        #expect(fixture.failures == [])
    }

    @Test("a transcript that would need most of the cache is not stored and removes no other")
    func tooLarge() async throws {
        let cache = try fixture.cache(limit: Self.limit)
        await store(1, bytes: 1000, in: cache)
        await store(2, bytes: 2_000_000, in: cache)
        #expect(try await cache.entries().map(\.videos) == [["youtube:1"]])
        #expect(fixture.failures == [])
    }

    @Test("a lower limit shrinks the file when it is opened")
    func lowered() async throws {
        let large = try fixture.cache(limit: 32 << 20)
        for number in 0..<40 { await store(number, bytes: 100_000, in: large) }
        #expect(try await large.entries().count == 40)
        #expect(fixture.bytes > 2 * Self.limit)
        let small = try fixture.cache(limit: Self.limit)
        #expect(fixture.bytes <= Self.limit)
        let kept = try await small.entries().flatMap(\.videos)
        #expect(kept.count > 8)
        #expect(kept == (0..<40).reversed().prefix(kept.count).map { "youtube:\($0)" })
    }

    @Test("a cache in memory has the same limit")
    func memory() async throws {
        let cache = try TranscriptCache(.memory, limit: Self.limit)
        for number in 0..<60 { await store(number, bytes: 100_000, in: cache) }
        #expect(try await cache.statistics().bytes <= Self.limit)
        #expect(await cache.lookup(CacheFixture.key("59")) != nil)
        #expect(await cache.lookup(CacheFixture.key("0")) == nil)
    }
}
