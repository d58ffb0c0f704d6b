import Foundation
import Testing

@Suite("Live killed at any moment", .serialized)
struct LiveKillTests {
    /// Can be changed with `LIVE_KILLS`.
    private static let rounds = ProcessInfo.processInfo.environment["LIVE_KILLS"].flatMap { Int($0) } ?? 20

    @Test("every printed final is in the store, whenever the process is killed")
    func kill() throws {
        let scratch = try Program.Scratch()
        _ = try Program.shell(
            "for f in 0 1 2 3 4 5 6 7 8 9; do tail -c +45 \"$CLIPS/say-0$f.wav\"; done > talk.raw", in: scratch)
        var random = SplitMix(state: 7)
        var printedTotal = 0
        for round in 0..<Self.rounds {
            let running = try Program.start(
                "exec whisper-local live --json --session s\(round) --raw s16le:16000:1 --speed max --file talk.raw",
                in: scratch)
            #expect(running.waitForLine())
            // Every other round is certain to have a final to lose.
            if round % 2 == 1 { #expect(running.wait { $0.contains("{\"type\":\"final\"") }) }
            usleep(UInt32.random(in: 1_000...1_500_000, using: &random))
            running.signal(SIGKILL)
            let outcome = try running.outcome()
            // The last line may be incomplete.
            let printed = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.hasPrefix("{\"type\":\"final\"") }
            printedTotal += printed.count
            let stored = try Program.shell(
                "sqlite3 .home/.local/share/whisper-local/sessions.db \"SELECT seq || ':' || text FROM segment "
                    + "WHERE session_id = (SELECT id FROM session WHERE title = 's\(round)') ORDER BY seq\"",
                in: scratch)
            let rows = stored.output.split(separator: "\n")
            for line in printed {
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let segment = try #require(object["segment"] as? [String: Any])
                let id = try #require(segment["id"] as? Int), text = try #require(segment["text"] as? String)
                #expect(rows.contains { $0 == "\(id):\(text)" }, "round \(round): \(id) \(text)")
            }
            // At most one batch was written but not printed: the last words of an utterance.
            #expect(rows.count - printed.count <= 3, "round \(round): \(rows.count) rows, \(printed.count) printed")
            // The next run continues the numbering.
            if round % 5 == 0 {
                let resumed = try Program.shell(
                    "whisper-local live --json --session s\(round) --speed max --file \"$CLIPS/say-01.wav\" "
                        + "| grep -m 1 -o '\"type\":\"final\",\"segment\":{\"id\":[0-9]*'", in: scratch)
                #expect(resumed.output == "\"type\":\"final\",\"segment\":{\"id\":\(rows.count)\n", "\(resumed.error)")
            }
        }
        #expect(printedTotal >= Self.rounds / 2)
    }

    /// Records most of a talk in a session that saves its audio, and kills the process, which has transcribed little.
    private func kill(in scratch: Program.Scratch) throws {
        _ = try Program.shell(
            "for f in 0 1 2 3 4; do tail -c +45 \"$CLIPS/say-0$f.wav\"; done > talk.raw", in: scratch)
        // The slow reference backend lags far behind when it is killed.
        let running = try Program.start(
            "exec whisper-local live --json --session talk --keep-audio --backend reference --raw s16le:16000:1 "
                + "--speed max --file talk.raw", in: scratch)
        let folder = scratch.url.appending(path: ".home/.local/share/whisper-local/sessions.d")
        func recordedSeconds() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            let recording = names.first { $0.hasSuffix(".wav") }.map { folder.appending(path: $0).path }
            let attributes = recording.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
            return (attributes?[.size] as? Int ?? 0) / 32_000
        }
        // Two thirds of the 26 seconds of audio are on the disk.
        for _ in 0..<12_000 where recordedSeconds() < 18 { usleep(10_000) }
        #expect(recordedSeconds() >= 18)
        running.signal(SIGKILL)
        _ = try running.outcome()
    }

    @Test("audio that a killed session had saved but not transcribed is recovered")
    func recover() throws {
        let scratch = try Program.Scratch()
        try kill(in: scratch)
        let modes = try Program.shell(
            "stat -c '%a' .home/.local/share/whisper-local/sessions.d/*.wav", in: scratch, names: ".m")
        #expect(modes.output == "600\n")
        let outcome = try Program.shell(
            "whisper-local history recover talk && whisper-local history show talk --no-timestamps", in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("Open the garden door, please."), "\(outcome.output)")
        #expect(outcome.output.contains("Read the last message from Robert."), "\(outcome.output)")
        let again = try Program.shell("whisper-local history recover talk", in: scratch)
        #expect(again.status == 66 && again.error.hasPrefix("error: nothing to recover: "), "\(again.error)")
    }

    @Test(
        "a killed session that is continued first transcribes its saved audio, even after a run that could not start",
        arguments: ["", "--keep-audio"])
    func continued(option: String) throws {
        let scratch = try Program.Scratch()
        try kill(in: scratch)
        let failed = try Program.shell("whisper-local live --session talk --model ./none.bin", in: scratch)
        #expect(failed.status == 69, "\(failed.error)")
        let refused = try Program.shell(
            "whisper-local dictate --session talk --file \"$CLIPS/say-18.wav\"", in: scratch)
        #expect(
            refused.status == 75 && refused.error.hasSuffix("try: whisper-local history recover talk\n"),
            "\(refused.error)")
        let outcome = try Program.shell(
            """
            whisper-local live --json --session talk \(option) --speed max --file "$CLIPS/say-18.wav" > live.json
            whisper-local history show talk --no-timestamps
            whisper-local transcribe --no-timestamps "$CLIPS/say-18.wav"
            whisper-local history list --json | grep -o '"length":[0-9]*'
            head -n 1 live.json | cut -c 1-17
            """, in: scratch)
        #expect(outcome.error.contains(/\nfirst transcribing 0:[12]\d of audio from an unfinished run\n/))
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let end = lines.count - 3
        #expect(lines.count > 6 && lines.last == "{\"type\":\"session\"", "\(outcome.output)")
        // What was heard comes first, each sentence once, then the new audio.
        let sentences = [
            "Turn the fan down to 5%.", "Open the garden door, please.", "Read the last message from Robert.",
        ]
        let text = lines[..<end].joined(separator: " ")
        for sentence in sentences { #expect(text.components(separatedBy: sentence).count == 2, "\(text)") }
        #expect(lines[end - 1] == lines[end] && !lines[..<(end - 1)].contains(lines[end]), "\(lines)")
        // Eighteen seconds and more were heard, then three.
        #expect(lines[end + 1].contains(/:2\d$/), "\(lines)")
        let again = try Program.shell("whisper-local history recover talk", in: scratch)
        #expect(again.status == 66 && again.error.hasPrefix("error: nothing to recover: "), "\(again.error)")
    }
}
