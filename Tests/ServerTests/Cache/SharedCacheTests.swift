import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Shared and damaged caches")
struct SharedCacheTests {
    private let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test("several connections create, fill and read one file at the same time")
    func together() async throws {
        let fixture = fixture
        try await withThrowingTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    let cache = try fixture.cache()
                    for number in 0..<25 {
                        let transcript = CacheFixture.transcript("number \(number)")
                        await cache.store(transcript, CacheFixture.key("\(number)"), seconds: 1, aliases: ["\(worker)"])
                        let hit = await cache.lookup(CacheFixture.key("\(number)"))
                        #expect(hit?.transcript == transcript)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.failures == [])
        let cache = try fixture.cache()
        let entries = try await cache.entries()
        #expect(entries.count == 25)
        // Stored once, then found by each.
        #expect(entries.allSatisfy { $0.accesses == 5 && $0.videos == ["0", "1", "2", "3"] })
        #expect(try await cache.statistics().hits == 100)
    }

    @Test("while another connection writes, a transcript is found but not counted or stored")
    func locked() async throws {
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1)
        let other = try SQLiteDatabase(fixture.path, access: .write)
        try other.execute("BEGIN IMMEDIATE")
        #expect(await cache.lookup(CacheFixture.key("a"))?.accesses == 2)
        await cache.store(CacheFixture.transcript("two"), CacheFixture.key("b"), seconds: 1)
        try other.execute("ROLLBACK")
        #expect(fixture.failures == [.busy(fixture.path), .busy(fixture.path)])
        #expect(await cache.lookup(CacheFixture.key("a"))?.accesses == 2)
        #expect(await cache.lookup(CacheFixture.key("b")) == nil)
    }

    @Test("foreign, newer and damaged files are rejected and left alone")
    func foreign() throws {
        let folder = fixture.folder.path + "/data/whisper-local"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (path, file) = (fixture.path, URL(filePath: fixture.path.description))
        func refuses(_ error: StoreError) throws {
            let before = try Data(contentsOf: file)
            #expect(throws: error) { try fixture.cache() }
            #expect(try Data(contentsOf: file) == before)
            try FileManager.default.removeItem(at: file)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path.description + suffix) }
        }
        try Data(String(repeating: "not a database ", count: 1000).utf8).write(to: file)
        try refuses(.damaged(path))

        func write(_ script: String) throws {
            try Data().write(to: file)
            try SQLiteDatabase(path, access: .write).execute(script)
        }
        try write("CREATE TABLE recipes(title TEXT)")
        try refuses(.damaged(path))
        try write("CREATE TABLE recipes(title TEXT); PRAGMA user_version = 1")
        try refuses(.damaged(path))
        try write("CREATE TABLE recipes(title TEXT); PRAGMA user_version = 2")
        try refuses(.newer(path, version: 2, known: 1))

        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(throws: StoreError.notAFile(path)) { try fixture.cache() }
    }

    @Test("a trigger added to the cache by another program does not run")
    func trigger() async throws {
        try await fixture.cache().store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1)
        try SQLiteDatabase(fixture.path, access: .write).execute(
            "CREATE TRIGGER spy AFTER INSERT ON content BEGIN DELETE FROM alias; END")
        #expect(throws: StoreError.damaged(fixture.path)) { try fixture.cache() }
    }

    @Test("damage anywhere in the file is reported or harmless, and never traps")
    func damaged() async throws {
        do {
            let cache = try fixture.cache()
            for number in 0..<20 {
                let text = CacheFixture.longText(number, bytes: number * 500)
                await cache.store(CacheFixture.transcript(text), CacheFixture.key("\(number)"), seconds: 1)
            }
            try await cache.clear(unusedFor: 1)
        }
        let file = URL(filePath: fixture.path.description)
        let whole = try Data(contentsOf: file)
        #expect(whole.count > 100_000)
        var random: UInt64 = 1, hits = 0, reports = 0
        for _ in 0..<60 {
            var copy = whole
            for _ in 0..<20 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                copy[Int(random >> 33) % copy.count] ^= UInt8(truncatingIfNeeded: random >> 20) | 1
            }
            try copy.write(to: file)
            let cache: TranscriptCache
            do {
                cache = try fixture.cache()
            } catch {
                reports += 1
                continue
            }
            for number in 0..<20 {
                if let hit = await cache.lookup(CacheFixture.key("\(number)")) {
                    // There is no checksum: characters may have changed.
                    #expect(hit.transcript.segments.count < 2)
                    hits += 1
                }
                await cache.store(CacheFixture.transcript("x"), CacheFixture.key("\(number)"), seconds: 1)
            }
            do {
                _ = try await cache.entries()
                _ = try await cache.clear()
            } catch {
                reports += 1
            }
        }
        #expect(hits > 0 && reports + fixture.failures.count > 0, "\(hits), \(reports), \(fixture.failures.count)")
    }

    @Test("a transcript that can no longer be read is created again")
    func unreadable() async throws {
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1)
        try SQLiteDatabase(fixture.path, access: .write).execute("UPDATE content SET text = '{}'")
        #expect(await cache.lookup(CacheFixture.key("a")) == nil)
        #expect(fixture.failures == [.damaged(fixture.path)])
        await cache.store(CacheFixture.transcript("two"), CacheFixture.key("a"), seconds: 1)
        #expect(await cache.lookup(CacheFixture.key("a"))?.transcript.text == " two")
    }
}
