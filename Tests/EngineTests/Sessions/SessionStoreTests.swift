import Foundation
import Testing

@Suite("Session store")
struct SessionStoreTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func fill(_ name: String, _ texts: [String]) throws {
        let journal = try fixture.journal(name)
        let finals = texts.enumerated().map { StoreFixture.final($0, $0 * 16_000, $0 * 16_000 + 8000, $1) }
        try journal.append(finals, clock: texts.count * 16_000)
        try journal.close(cancelled: false, clock: 0)
        fixture.wait(1000)
    }

    @Test(
        "the database itself rejects changes to finals, gaps in ids and times that go back",
        arguments: [
            ("UPDATE segment SET text = 'x'", "finals are immutable"),
            ("UPDATE OR REPLACE segment SET seq = 0", "finals are immutable"),
            (
                "INSERT INTO segment(session_id, seq, start_sample, end_sample, text, emitted_utc) "
                    + "SELECT id, 3, 90000, 90000, '', '' FROM session", "seq gap"
            ),
            (
                "INSERT OR REPLACE INTO segment(session_id, seq, start_sample, end_sample, text, emitted_utc) "
                    + "SELECT id, 1, 90000, 90000, '', '' FROM session", "seq gap"
            ),
            (
                "INSERT INTO segment(session_id, seq, start_sample, end_sample, text, emitted_utc) "
                    + "SELECT id, 2, 23999, 90000, '', '' FROM session", "time goes back"
            ),
        ])
    func rules(statement: String, reason: String) throws {
        try fill("talk", [" one", " two"])
        let database = try fixture.database()
        #expect(throws: SQLiteError.refused(reason)) { try database.run(statement) }
        #expect(try fixture.texts("talk") == [" one", " two"])
        #expect(try fixture.store().integrityErrors() == [])
    }

    @Test("finals keep their speakers, and the next run knows which numbers are taken")
    func speakers() throws {
        let journal = try fixture.journal("talk")
        let names = ["speaker 2", "Anna \"A\"", "speaker 11", "speaker", "speaker 99999999999999999", nil]
        let finals = names.enumerated().map { index, name in
            var final = StoreFixture.final(
                index, index * 16_000, index * 16_000 + 8000, " w",
                words: [
                    TranscriptWord(
                        word: " w", start: Double(index), end: 0.5 + Double(index), probability: 1, speaker: name)
                ])
            final.speaker = name
            return final
        }
        try journal.append(finals, clock: 0)
        try journal.close(cancelled: false, clock: 0)
        #expect(try fixture.store().finals(of: fixture.session("talk")).map(\.speaker) == names)
        let next = try fixture.journal("talk")
        #expect(next.speakerNumbers == 11)
        try next.close(cancelled: false, clock: 0)
    }

    @Test("deleting a session removes its finals, events, audio and index entries")
    func cascade() throws {
        try fill("talk", [" Café one"])
        let again = try fixture.journal("talk")
        try again.record(.pause, at: 16_000, lostSamples: 0)
        try again.close(cancelled: false, clock: 0)
        try fill("other", [" Café two"])
        let store = try fixture.store()
        let talk = try fixture.session("talk")
        func count(_ table: String) throws -> Int? {
            try fixture.database().rows(
                "SELECT COUNT(*) FROM \(table) WHERE session_id = ?", [.text(talk.id.description)]
            ) {
                $0.integer(0)
            }.first
        }
        #expect(try count("segment") == 1 && count("clock_event") == 1)
        let audio = try #require(store.savedAudio(of: talk.id))
        try Data([1]).write(to: URL(filePath: audio.description))
        try store.delete(talk)
        try store.vacuum()
        #expect(try store.sessions().map(\.title) == ["other"])
        #expect(try store.search("cafe", .words)?.map(\.title) == ["other"])
        #expect(try count("segment") == 0 && count("clock_event") == 0)
        #expect(!FileManager.default.fileExists(atPath: audio.description))
        #expect(try store.integrityErrors() == [])
        let bytes = try Data(contentsOf: URL(filePath: fixture.path.description))
        #expect(bytes.range(of: Data("one".utf8)) == nil)
    }

    @Test("a session cannot be deleted while it is being recorded")
    func deleteOpen() throws {
        let journal = try fixture.journal("talk")
        #expect(throws: JournalError.sessionBusy(name: "talk", process: Int(getpid()))) {
            try fixture.store().delete(fixture.session("talk"))
        }
        try journal.close(cancelled: false, clock: 0)
    }

    @Test(
        "a word search ignores case and accents and has no query syntax",
        arguments: [
            ("cafe", ["a"]), ("CAFÉ", ["a"]), ("open cafe", ["a"]), ("open tea", []), ("\"open", ["a"]),
            ("NOT tea", []), ("cafe OR tea", []), ("text:open", []), ("op*", []), ("(", []), ("\"", []), ("", []),
            ("'; DROP TABLE segment; --", []), ("tea", ["b"]), ("über", ["b"]), ("?", []), ("open ?", ["a"]),
        ])
    func words(query: String, titles: [String]) throws {
        try fill("a", [" The Cafe\u{301} is open."])
        try fill("b", [" Tea, uber alles; 100% of_it"])
        #expect(try fixture.store().search(query, .words)?.map(\.title) == titles)
    }

    @Test(
        "a substring search matches the exact text",
        arguments: [("京都", ["a"]), ("%", ["b"]), ("f_i", ["b"]), ("f.i", []), ("\\", ["b"]), ("都に", ["a"])])
    func substring(query: String, titles: [String]) throws {
        try fill("a", ["東京都に住む"])
        try fill("b", [" 100% of_it \\ x"])
        #expect(try fixture.store().search(query, .substring)?.map(\.title) == titles)
    }

    @Test("a search finds words that became final one by one, but not words of different utterances")
    func acrossFinals() throws {
        let journal = try fixture.journal("a")
        let parts = [(" Ask the", 0), (" teacher", 0), (" about it.", 0), (" The next", 1), (" 東京", 2), ("都", 2)]
        try journal.append(
            parts.enumerated().map { index, part in
                StoreFixture.final(index, index * 16_000, index * 16_000 + 8000, part.0, utterance: part.1)
            }, clock: 96_000)
        try journal.close(cancelled: false, clock: 0)
        let store = try fixture.store()
        for (query, syntax) in [
            ("ask teacher", SearchSyntax.words), ("about ask", .words), ("\"teacher about\"", .raw),
            ("ask NOT next", .raw),
            ("the teacher", .substring),
        ] {
            let hits = try store.search(query, syntax) ?? []
            #expect(hits.map(\.start) == [0], "\(query)")
        }
        #expect(try store.search("ask teacher", .words)?.map(\.excerpt) == [" [Ask] the [teacher] about it."])
        #expect(try store.search("next", .words)?.map(\.start) == [3])
        #expect(try store.search("ask next", .words) == [])
        #expect(try store.search("京都", .substring)?.map(\.start) == [4])
        // The search leaves nothing behind.
        #expect(try store.integrityErrors() == [])
    }

    @Test("a raw search is an FTS5 query, and an invalid one returns nil")
    func raw() throws {
        try fill("a", [" alpha beta"])
        try fill("b", [" alpha gamma"])
        let store = try fixture.store()
        #expect(try store.search("alpha NOT beta", .raw)?.map(\.title) == ["b"])
        #expect(try store.search("gam*", .raw)?.map(\.excerpt) == [" alpha [gamma]"])
        for query in ["\"", "AND", "a b:", "(", "nocolumn : x"] { #expect(try store.search(query, .raw) == nil) }
    }

    @Test("a session is named by its title, its id or the start of its id, in this order")
    func names() throws {
        try fill("talk", [])
        let id = try fixture.session("talk").id.description
        try fill(id, [])
        let store = try fixture.store()
        #expect(try store.sessions(named: id).map(\.title) == [id])
        #expect(try store.sessions(named: String(id.prefix(4))).map(\.title) == ["talk"])
        #expect(try store.sessions(named: String(id.prefix(3))) == [])
        #expect(try store.sessions(named: "%") == [])
    }

    @Test("the wall time of a sample counts from the last start of capture")
    func wallTimes() throws {
        let journal = try fixture.journal("talk")
        try journal.record(.start, at: 0, lostSamples: 0)
        fixture.wait(60_000)
        try journal.record(.pause, at: 160_000, lostSamples: 0)
        fixture.wait(3_600_000)
        try journal.record(.resume, at: 160_000, lostSamples: 0)
        fixture.wait(-86_400_000)
        try journal.record(.gap, at: 320_000, lostSamples: 8000)
        let events = try fixture.store().clockEvents(of: fixture.session("talk"))
        func time(_ sample: Int) -> String? { StoredClockEvent.wallTime(of: sample, in: events)?.description }
        #expect(time(0) == "2026-03-01T12:00:00.000Z")
        #expect(time(159_999) == "2026-03-01T12:00:09.999Z")
        #expect(time(160_000) == "2026-03-01T13:01:00.000Z")
        #expect(time(168_008) == "2026-03-01T13:01:00.500Z")
        #expect(time(336_000) == "2026-02-28T13:01:01.000Z")
        #expect(time(-1) == nil && time(.max) == nil)
        #expect(events.map(\.lostSamples) == [0, 0, 0, 8000])
    }

    @Test("opening a missing store for reading returns nil and creates nothing")
    func missing() throws {
        #expect(try SessionStore.open(fixture.path) == nil)
        #expect(try fixture.folder.names == [])
    }

    @Test("foreign, damaged and newer databases are rejected with different errors")
    func foreign() throws {
        try fixture.folder.createFolder("data/whisper-local")
        let url = URL(filePath: fixture.path.description)
        let path = fixture.path
        for bytes in [Data("not a database at all, but text that is long enough".utf8), Data(count: 5000)] {
            try bytes.write(to: url)
            #expect(throws: JournalError.corrupt(path)) { try SessionStore.open(path) }
            #expect(try Data(contentsOf: url) == bytes)
        }
        try Data().write(to: url)
        let other = try fixture.database()
        try other.execute("CREATE TABLE cats(name)")
        #expect(throws: JournalError.corrupt(path)) { try SessionStore.open(path) }
        try other.execute("PRAGMA user_version = 99")
        #expect(throws: JournalError.newer(path, version: 99, known: 1)) { try SessionStore.open(path) }
        #expect(throws: JournalError.newer(path, version: 99, known: 1)) { try fixture.journal("talk") }
        try FileManager.default.removeItem(at: url)
        try fill("talk", [" one"])
        let own = try fixture.database()
        try own.execute("CREATE TRIGGER t AFTER INSERT ON session BEGIN DELETE FROM segment; END")
        #expect(throws: JournalError.corrupt(path)) { try SessionStore.open(path) }
        try own.execute("DROP TRIGGER t; DROP TRIGGER segment_order")
        try own.execute("CREATE TRIGGER segment_order BEFORE INSERT ON segment BEGIN SELECT 1; END")
        #expect(throws: JournalError.corrupt(path)) { try SessionStore.open(path) }
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        #expect(throws: JournalError.notAFile(path)) { try SessionStore.open(path) }
    }

    @Test("a damaged store is read, rejected or reported, but never traps")
    func damaged() throws {
        try fill("talk", (0..<300).map { " some words of final \($0)" })
        let url = URL(filePath: fixture.path.description)
        let whole = try Data(contentsOf: url)
        var generator = SplitMix64(seed: 7)
        var reported = 0
        for _ in 0..<150 {
            var bytes = whole
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            } else {
                let start = Int.random(in: 0..<bytes.count - 64, using: &generator)
                for at in start..<start + 64 { bytes[at] = UInt8.random(in: 0...255, using: &generator) }
            }
            for file in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + file) }
            try bytes.write(to: url)
            do throws(JournalError) {
                guard let store = try SessionStore.open(fixture.path) else { continue }
                for session in try store.sessions() { _ = try store.finals(of: session) }
                _ = try store.search("words", .words)
                if !(try store.integrityErrors().isEmpty) { reported += 1 }
            } catch {
                switch error {
                case .corrupt: reported += 1
                // The damage made the schema version newer, or the file unwritable.
                case .newer, .notAFile, .noSpace, .failed, .gone, .cannotCreate, .readOnly: break
                default: Issue.record(error)
                }
            }
        }
        #expect(reported > 75)
    }

    @Test("foreign session ids never become paths")
    func foreignIDs() throws {
        try fill("talk", [])
        let database = try fixture.database()
        try database.run(
            "INSERT INTO session(id, created_utc, source, model, state) VALUES('../../../out', '', '', '', 'open')")
        let store = try fixture.store()
        #expect(store.savedAudio(of: SessionID("../../../out")) == nil)
        let foreign = try #require(try store.sessions(named: "../../../out").first)
        try store.delete(foreign)
        #expect(try fixture.folder.names == ["data"])
        #expect(try store.sessions().map(\.title) == ["talk"])
    }

    @Test("foreign text that is not UTF-8 or JSON is read as far as possible")
    func foreignText() throws {
        try fill("talk", [])
        let database = try fixture.database()
        try database.run(
            """
            INSERT INTO segment(session_id, seq, start_sample, end_sample, text, words, emitted_utc)
            SELECT id, 0, 0, 9, CAST(x'41ff00c342' AS TEXT), '[{"word":1}]', '' FROM session
            """)
        let finals = try fixture.store().finals(of: fixture.session("talk"))
        #expect(finals.map(\.text) == ["A\u{fffd}\u{0}\u{fffd}B"])
        #expect(finals.map(\.words) == [nil])
    }

    @Test("a hundred thousand finals are listed, read and searched within seconds")
    func many() throws {
        let journal = try fixture.journal("long")
        let count = 100_000
        for start in stride(from: 0, to: count, by: 10_000) {
            let finals = (start..<start + 10_000).map {
                StoreFixture.final($0, $0 * 10, $0 * 10 + 10, $0 == 77_777 ? " the needle" : " straw number \($0)")
            }
            try journal.append(finals, clock: 0)
        }
        let store = try fixture.store()
        let start = ContinuousClock.now
        #expect(try store.sessions().map(\.finals) == [count])
        #expect(try store.finals(of: fixture.session("long")).count == count)
        #expect(try store.search("needle", .words)?.map(\.start) == [777_770.0 / 16_000])
        #expect(try store.search("straw", .words)?.count == 20)
        #expect(try store.search("needle", .substring)?.count == 1)
        #expect(ContinuousClock.now - start < .seconds(20))
        // Appending stays as fast as at the start: it does not read the existing finals.
        let before = ContinuousClock.now
        for id in count..<count + 20 { try journal.append([StoreFixture.final(id, id * 10, id * 10, "")], clock: 0) }
        #expect(ContinuousClock.now - before < .seconds(10))
        try journal.close(cancelled: false, clock: 0)
    }
}
