import Foundation
import Testing
import WhisperEngine

@Suite("Journal under kill -9")
struct JournalKillTests {
    /// `JOURNAL_KILLS` sets another number.
    private static let rounds = ProcessInfo.processInfo.environment["JOURNAL_KILLS"].flatMap { Int($0) } ?? 200
    private static let largestBatch = 3

    @Test("what was said is in the store, in order and once, and at most one batch more")
    func kills() throws {
        let scratch = try Program.Scratch()
        let path = FilePath(scratch.url.path + "/sessions.db")
        var said: [String] = []
        var unseen = 0
        for run in 0..<Self.rounds {
            // The shell may die before it makes them.
            for name in [".out", ".err"] { try scratch.write(name) }
            let writer = try Program.start("exec journal-writer endless sessions.db talk \(run)", in: scratch)
            // One in four at any moment, before the store is opened included; the others after they have begun to write.
            if run % 4 > 0 { try #require(writer.waitForLine()) }
            usleep(UInt32.random(in: 0...20_000))
            writer.signal(SIGKILL)
            let outcome = try writer.outcome()
            try #require(outcome.status == 128 + SIGKILL, "\(outcome)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.isEmpty || outcome.output.hasSuffix("\n"))
            guard let store = try SessionStore.open(path), let session = try store.sessions().first else {
                try #require(lines.isEmpty && said.isEmpty)
                continue
            }
            #expect(session.state == .recovered)
            let rows = try store.finals(of: session)
            try #require(rows.map(\.id) == Array(0..<rows.count))
            let new = rows.dropFirst(said.count).map { "\($0.id)\($0.text)" }
            try #require(Array(new.prefix(lines.count)) == lines, "run \(run)")
            try #require(new.count - lines.count <= Self.largestBatch, "run \(run)")
            try #require(new.allSatisfy { $0.contains(" run \(run) ") })
            try #require(zip(rows, rows.dropFirst()).allSatisfy { $0.end <= $1.start })
            unseen += new.count - lines.count
            said += new
        }
        let store = try #require(try SessionStore.open(path))
        #expect(try store.integrityErrors() == [])
        #expect(said.count > Self.rounds / 4)
        #expect(try store.sessions().map(\.title) == ["talk"])
        print("\(Self.rounds) kills: \(said.count) finals, \(unseen) of them not said")
    }
}
