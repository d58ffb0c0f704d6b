import Foundation
import Testing
import WhisperEngine

@Suite("Journal killed at any moment")
struct JournalKillTests {
    /// Can be changed with `JOURNAL_KILLS`.
    private static let rounds = ProcessInfo.processInfo.environment["JOURNAL_KILLS"].flatMap { Int($0) } ?? 200
    private static let largestBatch = 3

    @Test("every final that was reported is in the store, in order and once, plus at most one batch")
    func kills() throws {
        let scratch = try Program.Scratch()
        let path = FilePath(scratch.url.path + "/sessions.db")
        var reported: [String] = []
        var unreported = 0
        for run in 0..<Self.rounds {
            // The shell may be killed before it creates them.
            for name in [".out", ".err"] { try scratch.write(name) }
            let writer = try Program.start("exec journal-writer endless sessions.db talk \(run)", in: scratch)
            // One in four is killed at any moment, even before the store is opened; the others after their first final.
            if run % 4 > 0 { try #require(writer.waitForLine()) }
            usleep(UInt32.random(in: 0...20_000))
            writer.signal(SIGKILL)
            let outcome = try writer.outcome()
            try #require(outcome.status == 128 + SIGKILL, "\(outcome)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.isEmpty || outcome.output.hasSuffix("\n"))
            guard let store = try SessionStore.open(path), let session = try store.sessions().first else {
                try #require(lines.isEmpty && reported.isEmpty)
                continue
            }
            #expect(session.state == .recovered)
            let rows = try store.finals(of: session)
            try #require(rows.map(\.id) == Array(0..<rows.count))
            let new = rows.dropFirst(reported.count).map { "\($0.id)\($0.text)" }
            try #require(Array(new.prefix(lines.count)) == lines, "run \(run)")
            try #require(new.count - lines.count <= Self.largestBatch, "run \(run)")
            try #require(new.allSatisfy { $0.contains(" run \(run) ") })
            try #require(zip(rows, rows.dropFirst()).allSatisfy { $0.end <= $1.start })
            unreported += new.count - lines.count
            reported += new
        }
        let store = try #require(try SessionStore.open(path))
        #expect(try store.integrityErrors() == [])
        #expect(reported.count > Self.rounds / 4)
        #expect(try store.sessions().map(\.title) == ["talk"])
        print("\(Self.rounds) kills: \(reported.count) finals, \(unreported) of them not reported")
    }
}
