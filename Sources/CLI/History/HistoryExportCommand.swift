import WhisperEngine

/// A session as transcript files.
enum HistoryExportCommand: Command {
    struct Options: OutputOptions, SubtitleLayout {
        var given: Set<String> = []
        var formats: [OutputFormat] = []
        var folder: FilePath?
        var subtitles = SubtitleOptions()

        init() {}

        /// As of `transcribe`: openai-whisper's five where only a folder is given.
        var writtenFormats: [OutputFormat] {
            formats.isEmpty ? folder == nil ? [.txt] : [.txt, .vtt, .srt, .tsv, .json] : formats
        }
    }

    static let manual = CommandManual(
        name: "history export", summary: "Write a session as text, subtitles or data",
        usage: ["[options] SESSION"],
        notes: [
            "One format goes to standard output; with --output-dir files are written there, named after the session. An "
                + "utterance becomes a segment."
        ],
        examples: ["meeting > meeting.txt", "-f srt meeting", "-f all -o minutes meeting"])

    static let flags: [Flag<Options>] =
        SubtitleFlags.layout() + [
            OutputFlags.formats(
                "\(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); several lists add up; without it "
                    + "txt, with --output-dir txt, vtt, srt, tsv and json"),
            OutputFlags.folder("write files here"),
        ] + CommonFlags.general()

    static func check(_ options: Options) throws(UsageError) {
        if options.folder == nil, options.writtenFormats.count > 1 {
            throw .needs("more than one --output-format", "--output-dir")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try History(context).session(operands, command: manual)
        let transcript = try History.told {
            SessionTranscript.transcript(of: session, finals: try store.finals(of: session))
        }
        let settings = WriterSettings(
            subtitles: options.subtitles, origin: TranscriptOrigin(version: Version.text, model: session.model))
        guard let folder = options.folder else {
            try context.streams.writeOutput(options.writtenFormats[0].writer(settings).text(of: transcript))
            return .success
        }
        try History.told {
            let plan = try OutputPlan(
                inputs: [fileName(of: session).adding(".session")], formats: options.writtenFormats, folder: folder)
            try plan.prepare()
            context.signals.beforeAbort { AtomicFile.removeLeftovers() }
            for entry in plan.entries {
                let lock = try entry.lock()
                defer { lock.release() }
                try entry.write(transcript, settings: settings)
            }
        }
        return .success
    }

    /// The session's name as a file's: no slash, no control character, no dot in front, 200 bytes at most.
    static func fileName(of session: StoredSession) -> FilePath {
        var name = ""
        for scalar in session.title.unicodeScalars {
            let isUnfit =
                scalar == "/" || scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
                || (scalar == "." && name.isEmpty)
            name.unicodeScalars.append(isUnfit ? "_" : scalar)
            if name.utf8.count > 200 {
                name.unicodeScalars.removeLast()
                break
            }
        }
        return FilePath(name.isEmpty ? "_" : name)
    }
}
