import WhisperEngine

/// `history show`: a session's text, one utterance per line.
enum HistoryShowCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var showsTimestamps = true
        var showsWallClock = false
    }

    static let manual = CommandManual(
        name: "history show", summary: "Show the text of a session", usage: ["[options] SESSION"],
        examples: ["meeting", "--wall-clock meeting"])

    static let flags: [Flag<Options>] = [
        .toggle("--no-timestamps", in: .output, "print text only", sets: \.showsTimestamps, to: false),
        .toggle(
            "--wall-clock", in: .output, "show the time of day (UTC) instead of the position in the session",
            sets: \.showsWallClock, to: true),
    ]

    static func check(_ options: Options) throws(UsageError) {
        if options.showsWallClock, !options.showsTimestamps {
            throw .contradiction("--wall-clock", "--no-timestamps", why: "one shows times, the other hides them")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try SessionHistory(context).session(operands, command: manual)
        let finals = try store.finals(of: session)
        let events = options.showsWallClock ? try store.clockEvents(of: session) : []
        var text: TerminalText = options.showsTimestamps ? "\(heading(of: session))\n" : ""
        let line = SegmentLine(
            showsTimestamps: options.showsTimestamps && !options.showsWallClock, colorsWords: false)
        for segment in finals.joinedByUtterance() {
            if options.showsWallClock { text += "\(timeOfDay(of: segment, events))  " }
            text += line.text(of: segment)
        }
        try context.streams.writeOutput(text)
        return .success
    }

    /// The facts about the session, one per line.
    private static func heading(of session: StoredSession) -> String {
        var rows = [
            ("name", ShellQuoting.quoted(session.title)), ("id", ShellQuoting.quoted(session.id.description)),
            ("started", "\(session.startedText) UTC"), ("length", session.lengthText),
            ("finals", "\(session.finals)"), ("state", session.stateText),
            ("source", ShellQuoting.quoted(session.source)), ("model", ShellQuoting.quoted(session.model)),
        ]
        if let language = session.language { rows.append(("language", ShellQuoting.quoted(language))) }
        return rows.map { "\(Help.padded($0.0, to: 10))\($0.1)\n" }.joined()
    }

    /// `[2026-03-01 12:00:05]`
    private static func timeOfDay(of segment: TranscriptSegment, _ events: [StoredClockEvent]) -> String {
        let sample = AudioChunk.samples(in: segment.start)
        guard let time = StoredClockEvent.wallTime(of: sample, in: events)?.description else {
            return "[time unknown]       "
        }
        return "[\(time.prefix(10)) \(time.dropFirst(11).prefix(8))]"
    }
}
