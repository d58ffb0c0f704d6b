import Foundation
import Testing

@Suite("Live, killed at any moment", .serialized)
struct LiveKillTests {
    private static let rounds = 20

    @Test("every final that was seen is in the store, whenever the process is killed")
    func kill() throws {
        let scratch = try Program.Scratch()
        _ = try Program.shell(
            "for f in 0 1 2 3 4 5 6 7 8 9; do tail -c +45 \"$CLIPS/say-0$f.wav\"; done > talk.raw", in: scratch)
        var random = SplitMix(state: 7)
        var seenTotal = 0
        for round in 0..<Self.rounds {
            let running = try Program.start(
                "exec whisper-local live --json --session s\(round) --raw s16le:16000:1 --speed max --file talk.raw",
                in: scratch)
            #expect(running.waitForLine())
            // Every other one has something to lose for sure.
            if round % 2 == 1 {
                for _ in 0..<6000 where !running.outputSoFar.contains("{\"type\":\"final\"") { usleep(10_000) }
            }
            usleep(UInt32.random(in: 1_000...1_500_000, using: &random))
            running.signal(SIGKILL)
            let outcome = try running.outcome()
            // The last line may be half written.
            let seen = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.hasPrefix("{\"type\":\"final\"") }
            seenTotal += seen.count
            let stored = try Program.shell(
                "sqlite3 .home/.local/share/whisper-local/sessions.db \"SELECT seq || ':' || text FROM segment "
                    + "WHERE session_id = (SELECT id FROM session WHERE title = 's\(round)') ORDER BY seq\"",
                in: scratch)
            let rows = stored.output.split(separator: "\n")
            for line in seen {
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let segment = try #require(object["segment"] as? [String: Any])
                let id = try #require(segment["id"] as? Int), text = try #require(segment["text"] as? String)
                #expect(rows.contains { $0 == "\(id):\(text)" }, "round \(round): \(id) \(text)")
            }
            // What was written and not seen is one batch at most, of an utterance's last words.
            #expect(rows.count - seen.count <= 3, "round \(round): \(rows.count) rows, \(seen.count) seen")
            // The next run goes on behind it.
            if round % 5 == 0 {
                let resumed = try Program.shell(
                    "whisper-local live --json --session s\(round) --speed max --file \"$CLIPS/say-01.wav\" "
                        + "| grep -m 1 -o '\"type\":\"final\",\"segment\":{\"id\":[0-9]*'", in: scratch)
                #expect(resumed.output == "\"type\":\"final\",\"segment\":{\"id\":\(rows.count)\n", "\(resumed.error)")
            }
        }
        #expect(seenTotal >= Self.rounds / 2)
    }
}
