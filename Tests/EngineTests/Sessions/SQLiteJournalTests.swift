import Foundation
import Synchronization
import Testing

/// How many tasks have a session at the same time.
private final class Holders: Sendable {
    private let counts = Mutex((now: 0, most: 0, total: 0))
    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.total + 1) } }
    func leave() { counts.withLock { $0.now -= 1 } }
    var most: Int { counts.withLock { $0.most } }
    var total: Int { counts.withLock { $0.total } }
}

@Suite("SQLite journal")
struct SQLiteJournalTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func final(_ id: Int, _ start: Int, _ end: Int, _ text: String) -> TranscriptSegment {
        StoreFixture.final(id, start, end, text)
    }

    @Test("stored finals are read back unchanged, including times and words")
    func roundTrip() throws {
        let words = [
            TranscriptWord(word: " \"a\"\u{0}\u{1}\n", start: 0.1, end: 0.30000000000000004, probability: 0.97),
            TranscriptWord(word: " 日本\\", start: 0.3, end: 1e-7 + 0.3, probability: 1),
        ]
        var first = StoreFixture.final(0, 1601, 16_001, " \"a\"\u{0}\u{1}\n 日本\\", words: words)
        first.language = "ja"
        let second = StoreFixture.final(1, 16_001, 16_001, "", utterance: 1)
        let journal = try fixture.journal("talk")
        try journal.append([first, second], clock: 20_000)
        var expected = [first, second]
        for index in expected.indices { expected[index].session = journal.session }
        #expect(try fixture.store().finals(of: fixture.session("talk")) == expected)
        #expect(try fixture.session("talk").nextSample == 20_000)
    }

    @Test("a session whose clock cannot be true is damaged", arguments: [Int.max, Int.min, 1 << 49])
    func impossibleClock(sample: Int) throws {
        let journal = try fixture.journal("talk")
        try journal.close(cancelled: false, clock: 0)
        try fixture.database().run("UPDATE session SET next_sample = ?", [.integer(sample)])
        #expect(throws: JournalError.corrupt(fixture.path)) { try fixture.journal("talk") }
    }

    @Test("finals are visible to readers as soon as the call returns")
    func durable() throws {
        let journal = try fixture.journal("talk")
        #expect((journal.clock, journal.nextID, journal.context, journal.isResumed) == (0, 0, "", false))
        try journal.append([final(0, 0, 10, " one")], clock: 10)
        #expect(try fixture.texts("talk") == [" one"])
        #expect(try fixture.session("talk").state == .open)
        try journal.append([final(1, 10, 30, " two")], clock: 50)
        try journal.close(cancelled: false, clock: 60)
        try journal.close(cancelled: true, clock: 99)
        let session = try fixture.session("talk")
        #expect((session.state, session.nextSample, session.finals) == (.closed, 60, 2))
        #expect(throws: JournalError.notOpen(name: "talk")) {
            try journal.append([final(2, 60, 70, " late")], clock: 70)
        }
    }

    @Test("an existing session resumes with its clock, ids, utterances and context")
    func resume() throws {
        let long = String(repeating: "é", count: 150)
        var journal = try fixture.journal("talk")
        let id = journal.session
        try journal.record(.start, at: 0, lostSamples: 0)
        try journal.append(
            [final(0, 0, 10, long), StoreFixture.final(1, 10, 20, long + "z", utterance: 2)], clock: 30)
        try journal.close(cancelled: true, clock: 40)
        fixture.wait(5000)
        journal = try fixture.journal("talk")
        #expect((journal.session, journal.isResumed, journal.clock, journal.nextID) == (id, true, 40, 2))
        #expect(journal.context == String((long + long + "z").suffix(200)))
        #expect(try fixture.session("talk").state == .open)
        try journal.record(.start, at: 40, lostSamples: 0)
        try journal.append([final(2, 40, 50, " third")], clock: 50)
        #expect(try fixture.store().finals(of: fixture.session("talk")).map(\.utterance) == [0, 2, 3])
        let events = try fixture.store().clockEvents(of: fixture.session("talk"))
        #expect(events.map(\.event) == [.start, .resume])
        #expect(try fixture.journal("other").session != id)
    }

    @Test("finals out of order are rejected with their whole batch")
    func rejected() throws {
        let journal = try fixture.journal("talk")
        try journal.append([final(0, 100, 200, " one")], clock: 200)
        let wrong: [([TranscriptSegment], JournalError)] = [
            ([final(2, 200, 300, "")], .outOfOrder(id: 2, expected: 1)),
            ([final(1, 200, 300, ""), final(3, 300, 400, "")], .outOfOrder(id: 3, expected: 2)),
            ([final(1, 200, 300, ""), final(2, 299, 400, "")], .badTime(id: 2)),
            ([final(1, 199, 300, "")], .badTime(id: 1)),
            ([final(1, 300, 299, "")], .badTime(id: 1)),
            ([final(-1, 300, 400, "")], .badTime(id: -1)),
            ([final(0, 100, 200, " other")], .changed(id: 0)),
        ]
        for (finals, error) in wrong {
            #expect(throws: error) { try journal.append(finals, clock: 900) }
        }
        for time in [Double.nan, .infinity, -1, 1e300] {
            var segment = final(1, 0, 0, "")
            (segment.start, segment.end) = (time, time)
            #expect(throws: JournalError.badTime(id: 1)) { try journal.append([segment], clock: 900) }
        }
        #expect(try fixture.texts("talk") == [" one"])
        #expect(try fixture.session("talk").nextSample == 200)
    }

    @Test("finals passed again after a late failure are stored once")
    func repeated() throws {
        let journal = try fixture.journal("talk")
        let finals = [final(0, 0, 10, " one"), final(1, 10, 20, " two")]
        try journal.append(finals, clock: 20)
        try journal.append(finals + [final(2, 20, 30, " three")], clock: 30)
        #expect(try fixture.texts("talk") == [" one", " two", " three"])
    }

    @Test("the clock never goes back, and an empty batch advances it")
    func clock() throws {
        let journal = try fixture.journal("talk")
        try journal.append([], clock: 80_000)
        try journal.append([final(0, 0, 10, " one")], clock: 10)
        try journal.record(.pause, at: 90_000, lostSamples: 0)
        try journal.close(cancelled: false, clock: 0)
        #expect(try fixture.journal("talk").clock == 90_000)
    }

    // The tests of Swift 6.2 cannot hand a value to the other process.
    #if compiler(>=6.3)
        @Test("a second writer fails with the process that records the session")
        func secondWriter() async throws {
            let journal = try fixture.journal("talk")
            let own = JournalError.sessionBusy(name: "talk", process: Int(getpid()))
            #expect(throws: own) { try fixture.journal("talk") }
            let path = fixture.path.description
            await #expect(processExitsWith: .success) { [path = path as String, parent = Int(getpid()) as Int] in
                do throws(JournalError) {
                    _ = try SQLiteJournal(session: "talk", in: FilePath(path), from: StoreFixture.origin)
                    exit(4)
                } catch {
                    exit(error == .sessionBusy(name: "talk", process: parent) ? 0 : 5)
                }
            }
            let other = try fixture.journal("other")
            try journal.append([final(0, 0, 10, " one")], clock: 10)
            try other.append([final(0, 0, 10, " eins")], clock: 10)
            try journal.close(cancelled: false, clock: 10)
            #expect(try fixture.journal("talk").nextID == 1)
            try other.close(cancelled: false, clock: 10)
        }
    #endif

    @Test("one of many concurrent writers gets a session, and all use one store")
    func race() async throws {
        let fixture = fixture, holders = Holders()
        @Sendable func share() throws {
            let shared: SQLiteJournal
            do {
                shared = try fixture.journal("shared")
            } catch JournalError.sessionBusy {
                return
            }
            holders.enter()
            defer { holders.leave() }
            try shared.append([], clock: 1)
        }
        let errors = await withTaskGroup(of: [any Error].self) { group in
            for turn in 0..<4 {
                group.addTask {
                    (0..<5).compactMap { round in
                        do {
                            let journal = try fixture.journal("own \(turn)")
                            try journal.append([], clock: round)
                            try share()
                            try journal.close(cancelled: false, clock: 0)
                            return nil
                        } catch { return error }
                    }
                }
            }
            return await group.reduce([], +)
        }
        #expect(errors.isEmpty, "\(errors)")
        #expect(holders.most == 1 && holders.total > 0)
        #expect(try Set(fixture.store().sessions().map(\.title)).count == 5)
    }

    @Test("a session whose process died is marked as recovered, with its clock at the end of the finals")
    func recovery() throws {
        var journal: SQLiteJournal? = try fixture.journal("talk")
        try journal?.append([final(0, 0, 50, " one")], clock: 20)
        let living = try fixture.journal("living")
        #expect(try fixture.session("talk").state == .open)
        // Not closed, like after a kill: the lock is released and the state stays.
        journal = nil
        #expect(try fixture.session("talk").state == .recovered)
        #expect(try fixture.session("talk").nextSample == 50)
        #expect(try fixture.session("living").state == .open)
        #expect(try fixture.texts("talk") == [" one"])
        try living.close(cancelled: false, clock: 0)
    }

    @Test("a session knows whether its last run ended by itself")
    func interrupted() throws {
        var journal: SQLiteJournal? = try fixture.journal("talk")
        #expect(journal?.isInterrupted == false)
        journal = nil
        journal = try fixture.journal("talk")
        #expect(journal?.isInterrupted == true && journal?.isResumed == true)
        try journal?.close(cancelled: false, clock: 0)
        journal = try fixture.journal("talk")
        #expect(journal?.isInterrupted == false)
        try journal?.close(cancelled: true, clock: 0)
        #expect(try fixture.journal("talk").isInterrupted == false)
    }

    @Test("a resumed session continues after its saved audio")
    func savedAudio() async throws {
        let journal = try fixture.journal("talk")
        let audio = journal.savedAudio
        try journal.append([final(0, 0, 50, " one")], clock: 60)
        try journal.close(cancelled: false, clock: 70)
        // Like after a kill, with half a sample at the end.
        try await WAVRecorder(audio, resuming: false).append([Float](repeating: 0, count: 1000))
        let file = try FileHandle(forWritingTo: URL(filePath: audio.description))
        try file.seekToEnd()
        try file.write(contentsOf: [7])
        try file.close()
        #expect(try fixture.journal("talk").clock == 1000)
    }

    @Test("a session name is any text of 1 to 256 bytes")
    func names() throws {
        for name in ["new\nline\u{1b}[2J", "'; DROP TABLE session; --", "../../up", String(repeating: "n", count: 256)]
        {
            let journal = try fixture.journal(name)
            try journal.close(cancelled: false, clock: 7)
            #expect(try fixture.session(name).title == name)
        }
        for name in ["", String(repeating: "n", count: 257)] {
            #expect(throws: JournalError.badName(name)) { try fixture.journal(name) }
        }
        #expect(try fixture.folder.names == ["data"])
    }

    @Test("a final can have a megabyte of text")
    func largeText() throws {
        let journal = try fixture.journal("talk")
        let text = String(repeating: "word ", count: 200_000) + "\u{0}last"
        try journal.append([final(0, 0, 10, text)], clock: 10)
        #expect(try fixture.texts("talk") == [text])
        #expect(try fixture.store().search("last", .words)?.count == 1)
    }

    @Test("new folders and files are private to their owner")
    func modes() throws {
        let journal = try fixture.journal("talk")
        #expect(try fixture.folder.permissions("data/whisper-local") == 0o700)
        #expect(try fixture.folder.permissions("data/whisper-local/sessions.d") == 0o700)
        for name in ["sessions.db", "sessions.db-wal", "sessions.d/\(journal.session).lock"] {
            #expect(try fixture.folder.permissions("data/whisper-local/" + name) == 0o600, "\(name)")
        }
        try journal.close(cancelled: false, clock: 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.path.folder.description + "/sessions.d")
        #expect(left == [])
    }

    @Test("a store that was removed or replaced is detected before data is lost")
    func gone() throws {
        let journal = try fixture.journal("talk")
        let path = fixture.path.description
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        #expect(throws: JournalError.gone(fixture.path)) { try journal.append([], clock: 1) }
        try Data().write(to: URL(filePath: path))
        #expect(throws: JournalError.gone(fixture.path)) { try journal.append([], clock: 1) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try journal.append([final(0, 0, 10, " one")], clock: 1)
        #expect(try fixture.texts("talk") == [" one"])
    }

    // The tests of Swift 6.2 cannot hand a value to the other process.
    #if compiler(>=6.3)
        @Test("a full disk keeps stored finals, and rejected ones can be stored later")
        func fullDisk() async throws {
            let path = fixture.path.description
            await #expect(processExitsWith: .success) { [path = path as String] in
                signal(SIGXFSZ, SIG_IGN)
                let journal = try SQLiteJournal(session: "talk", in: FilePath(path), from: StoreFixture.origin)
                var limit = rlimit(rlim_cur: 2_000_000, rlim_max: .max)
                guard unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(3) }  // RLIMIT_FSIZE
                let text = String(repeating: "x", count: 3000)
                var id = 0
                var failures = 0
                while id < 400 {
                    do {
                        try journal.append([StoreFixture.final(id, id * 10, id * 10 + 10, "\(id) " + text)], clock: 0)
                        id += 1
                    } catch JournalError.noSpace(FilePath(path)) {
                        failures += 1
                        if failures == 5 {
                            limit.rlim_cur = .max
                            guard unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(3) }
                        }
                        guard failures <= 5, id > 20 else { exit(4) }
                    }
                }
                try journal.close(cancelled: false, clock: 0)
                exit(failures == 5 ? 0 : 5)
            }
            let texts = try fixture.texts("talk")
            #expect(texts.map { $0.prefix { $0 != " " } } == (0..<400).map { "\($0)" })
            #expect(try fixture.store().integrityErrors() == [])
        }
    #endif
}
