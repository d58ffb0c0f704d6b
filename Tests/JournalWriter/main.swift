// Writes sessions for tests, as `live` would.
//
//   journal-writer endless STORE SESSION RUN
//       Stores finals in batches of one to three until it is killed. Prints each final after the journal has returned:
//       a line with its id and its text, which contains RUN.
//   journal-writer plant STORE SESSION closed|cancelled|open MILLISECONDS < LINES
//       Stores one final per line `START END UTTERANCE TEXT`, with times in samples and a fixed wall clock of
//       MILLISECONDS since 1970, and leaves the session in the given state.
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
        let batch = (0..<Int.random(in: 1...3)).map { index in
            final(id + index, clock + 100 * index, clock + 100 * index + 60, " run \(run) final \(id + index)")
        }
        id += batch.count
        clock += 100 * batch.count
        try journal.append(batch, clock: clock)
        // A single write, so that no line is printed in part.
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
        let fields = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let start = Int(fields[0]), let end = Int(fields[1]), let utterance = Int(fields[2])
        else { exit(65) }
        var segment = final(id, start, end, String(fields[3]))
        segment.utterance = utterance
        segment.words = [TranscriptWord(word: segment.text, start: segment.start, end: segment.end, probability: 1)]
        try journal.append([segment], clock: end)
        id += 1
    }
    switch state {
    case "closed", "cancelled": try journal.close(cancelled: state == "cancelled", clock: 0)
    // Exit without closing, as if killed.
    default: _exit(0)
    }
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
do {
    if arguments.count == 4, arguments[0] == "endless" {
        try writeEndlessly(arguments[1], arguments[2], run: arguments[3])
    } else if arguments.count == 5, arguments[0] == "plant", let milliseconds = Int(arguments[4]) {
        try plant(arguments[1], arguments[2], state: arguments[3], milliseconds: milliseconds)
    } else {
        exit(64)
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
