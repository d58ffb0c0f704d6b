// Writes sessions as `live` does, for tests.
//
//   journal-writer endless STORE SESSION RUN
//       writes finals without end and says each one after the journal has returned, to be killed. A line is the
//       final's id and its text, which names the run. Batches have one to three finals.
//   journal-writer plant STORE SESSION closed|cancelled|open MILLISECONDS < LINES
//       writes one final for each line `START END UTTERANCE TEXT`, the times in samples, with a wall clock that stands
//       still, and leaves the session in that state.
import Glibc
import WhisperEngine

func final(_ id: Int, _ start: Int, _ end: Int, _ text: String) -> TranscriptSegment {
    TranscriptSegment(
        id: id, seek: 0, start: Double(start) / 16_000, end: Double(end) / 16_000, text: text, tokens: [],
        temperature: 0, avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0)
}

func writeEndlessly(_ store: String, _ name: String, run: String) throws {
    let journal = try SQLiteJournal(
        session: name, in: FilePath(store), from: SessionOrigin(source: "planted", model: "none"))
    var id = journal.nextID
    var clock = journal.clock
    try journal.record(.start, at: clock, lostSamples: 0)
    while true {
        let batch = (0..<Int.random(in: 1...3)).map { place in
            final(id + place, clock + 100 * place, clock + 100 * place + 60, " run \(run) final \(id + place)")
        }
        id += batch.count
        clock += 100 * batch.count
        try journal.append(batch, clock: clock)
        // One write: a line is there or it is not.
        print(batch.map { "\($0.id)\($0.text)\n" }.joined(), terminator: "")
        fflush(nil)
    }
}

func plant(_ store: String, _ name: String, state: String, milliseconds: Int) throws {
    let journal = try SQLiteJournal(
        session: name, in: FilePath(store),
        from: SessionOrigin(source: "default", model: "nano.en", language: "en")
    ) { WallTime(milliseconds: milliseconds) }
    try journal.record(.start, at: journal.clock, lostSamples: 0)
    var id = journal.nextID
    while let line = readLine() {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let start = Int(parts[0]), let end = Int(parts[1]), let utterance = Int(parts[2])
        else { exit(65) }
        var segment = final(id, start, end, String(parts[3]))
        segment.utterance = utterance
        segment.words = [TranscriptWord(word: segment.text, start: segment.start, end: segment.end, probability: 1)]
        try journal.append([segment], clock: end)
        id += 1
    }
    switch state {
    case "closed", "cancelled": try journal.close(cancelled: state == "cancelled", clock: 0)
    // As if it were killed.
    default: _exit(0)
    }
}

let words = CommandLine.arguments.dropFirst().map { $0 }
do {
    if words.count == 4, words[0] == "endless" {
        try writeEndlessly(words[1], words[2], run: words[3])
    } else if words.count == 5, words[0] == "plant", let milliseconds = Int(words[4]) {
        try plant(words[1], words[2], state: words[3], milliseconds: milliseconds)
    } else {
        exit(64)
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
