import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Transcript cache")
struct TranscriptCacheTests {
    private let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test("a stored transcript is found again, in this process and in the next")
    func found() async throws {
        let transcript = CacheFixture.transcript("one")
        var cache = try fixture.cache()
        #expect(await cache.lookup(CacheFixture.key("a")) == nil)
        await cache.store(transcript, CacheFixture.key("a"), seconds: 1.5)
        for accesses in 2...4 {
            let hit = try #require(await cache.lookup(CacheFixture.key("a")))
            #expect(hit.transcript == transcript && hit.model == "nano.en" && hit.seconds == 1.5)
            #expect(hit.accesses == accesses)
            cache = try fixture.cache()
        }
        #expect(fixture.failures == [])
    }

    @Test("other audio, options, models and model files have separate transcripts")
    func keys() async throws {
        let file = fixture.folder.appending(path: "model.bin")
        try Data("weights".utf8).write(to: file)
        func key(_ model: String = "a", _ options: TranscriptionOptions = TranscriptionOptions()) -> CacheKey {
            CacheKey(audio: "x", model: ModelStamp(name: model, path: FilePath(file.path)), options: options)
        }
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("one"), key(), seconds: 1)
        #expect(await cache.lookup(key()) != nil)
        #expect(await cache.lookup(key("b")) == nil)
        var options = TranscriptionOptions()
        options.language = "en"
        #expect(await cache.lookup(key("a", options)) == nil)
        #expect(await cache.lookup(CacheFixture.key("x")) == nil)
        // The same size at another time.
        let old = key()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
        #expect(key() != old)
        #expect(await cache.lookup(key()) == nil)
    }

    @Test("the files of a model in a folder identify it")
    func modelFolder() throws {
        let file = fixture.folder.appending(path: "model.safetensors")
        let folder = FilePath(fixture.folder.path)
        func key() -> CacheKey {
            CacheKey(audio: "x", model: ModelStamp(name: "a", path: folder), options: TranscriptionOptions())
        }
        let empty = key()
        try Data("weights".utf8).write(to: file)
        let full = key()
        #expect(full != empty && key() == full)
        try Data("other weights".utf8).write(to: file)
        #expect(key() != full)
    }

    @Test("storing under a used key changes nothing but adds names")
    func twice() async throws {
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1, aliases: ["youtube:a"])
        await cache.store(CacheFixture.transcript("two"), CacheFixture.key("a"), seconds: 2, aliases: ["youtube:b"])
        for (index, name) in ["youtube:a", "youtube:b"].enumerated() {
            let hit = try #require(await cache.lookup(alias: name))
            #expect(hit.transcript.text == " one" && hit.accesses == index + 2)
        }
        await cache.addAlias("tiktok:1", for: "youtube:b")
        await cache.addAlias("tiktok:2", for: "unknown")
        #expect(await cache.lookup(alias: "tiktok:1")?.accesses == 4)
        #expect(await cache.lookup(alias: "tiktok:2") == nil)
        #expect(try await cache.entries().map(\.videos) == [["tiktok:1", "youtube:a", "youtube:b"]])
    }

    @Test("by name the latest transcript is found, or that of a given model")
    func aliasModels() async throws {
        let cache = try fixture.cache()
        let models = ["a", "b"].map { ModelStamp(name: $0, path: FilePath("/nowhere")) }
        for model in models {
            let key = CacheKey(audio: "x", model: model, options: TranscriptionOptions())
            await cache.store(CacheFixture.transcript(model.name), key, seconds: 1, aliases: ["tiktok:1"])
        }
        #expect(await cache.lookup(alias: "tiktok:1")?.model == "b")
        #expect(await cache.lookup(alias: "tiktok:1", model: models[0])?.model == "a")
        #expect(await cache.lookup(alias: "tiktok:1", model: ModelStamp(name: "c", path: FilePath("/nowhere"))) == nil)
    }

    @Test("the list has ages, counts and times, most recently used first, and no text")
    func list() async throws {
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("first"), CacheFixture.key("a"), seconds: 2.5, aliases: ["youtube:a"])
        await cache.store(
            CacheFixture.transcript("second"), CacheFixture.key("b"), seconds: 1, aliases: ["sha256:00"])
        fixture.wait(days: 3)
        _ = await cache.lookup(CacheFixture.key("a"))
        _ = await cache.lookup(CacheFixture.key("a"))
        let entries = try await cache.entries()
        #expect(entries.map(\.accesses) == [3, 1])
        #expect(entries.map(\.savedSeconds) == [5, 0])
        #expect(entries.map(\.videos) == [["youtube:a"], []])
        #expect(entries[0].created.description == "2026-03-01T12:00:00.000Z")
        #expect(entries[0].used.description == "2026-03-04T12:00:00.000Z")
        #expect(entries[1].used.description == "2026-03-01T12:00:00.000Z")
        #expect(entries.allSatisfy { $0.model == "nano.en" && $0.language == "en" && $0.duration == 3.5 })
        let statistics = try await cache.statistics()
        #expect(statistics.entries == 2 && statistics.hits == 2 && statistics.savedSeconds == 5)
        #expect(statistics.bytes == fixture.bytes)
    }

    @Test("clearing removes all transcripts, or those not used for some days, from the disk, too")
    func clear() async throws {
        let cache = try fixture.cache()
        for number in 0..<30 {
            await cache.store(
                CacheFixture.transcript("secret \(number)"), CacheFixture.key("\(number)"), seconds: 1,
                aliases: ["youtube:\(number)"])
        }
        fixture.wait(days: 2)
        _ = await cache.lookup(CacheFixture.key("3"))
        await cache.store(CacheFixture.transcript("new"), CacheFixture.key("new"), seconds: 1)
        fixture.wait(days: 1)
        #expect(try await cache.clear(unusedFor: 4) == 0)
        #expect(try await cache.clear(unusedFor: 3) == 29)
        #expect(await cache.lookup(alias: "youtube:4") == nil)
        #expect(await cache.lookup(alias: "youtube:3") != nil)
        #expect(!fixture.contains("secret 4"))
        #expect(try await cache.clear() == 2)
        #expect(try await cache.entries() == [])
        #expect(!fixture.contains("secret") && !fixture.contains("youtube:"))
        // What was saved is not forgotten.
        #expect(try await cache.statistics().hits == 2)
    }

    @Test("a cache in memory works and leaves no file; one that is off stores nothing")
    func places() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: ".")
        let memory = try TranscriptCache(.memory)
        await memory.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1, aliases: ["youtube:a"])
        #expect(await memory.lookup(alias: "youtube:a")?.accesses == 2)
        #expect(try await memory.statistics().entries == 1)
        let off = try TranscriptCache(.off)
        await off.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1, aliases: ["youtube:a"])
        #expect(await off.lookup(CacheFixture.key("a")) == nil)
        #expect(await off.lookup(alias: "youtube:a") == nil)
        #expect(try await off.entries() == [])
        #expect(try await off.clear() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == files)
    }

    @Test("only the user may read the files and the folders")
    func permissions() async throws {
        let cache = try fixture.cache()
        await cache.store(CacheFixture.transcript("one"), CacheFixture.key("a"), seconds: 1)
        func mode(_ path: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return try #require(attributes[.posixPermissions] as? Int)
        }
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(fixture.path.description + suffix) == 0o600) }
        for folder in ["/data", "/data/whisper-local"] { #expect(try mode(fixture.folder.path + folder) == 0o700) }
    }

    @Test("opening a cache to look at it creates nothing and does not shrink it")
    func existing() async throws {
        #expect(try TranscriptCache.open(existing: fixture.path) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [])
        // More than the smallest limit allows.
        for number in 0..<12 {
            let transcript = CacheFixture.transcript(CacheFixture.longText(number, bytes: 500_000))
            try await fixture.cache().store(transcript, CacheFixture.key("\(number)"), seconds: 1)
        }
        let before = fixture.bytes
        #expect(before > 4 << 20)
        let cache = try #require(try TranscriptCache.open(existing: fixture.path))
        #expect(try await cache.entries().count == 12)
        #expect(fixture.bytes >= before)
    }
}
