import WhisperEngine

/// `whisper-local align`: a text that is known gets the times at which a recording says it.
enum AlignCommand: Command {
    static let manual = CommandManual(
        name: "align", summary: "Find out when a recording says a given text", usage: ["[options] FILE|- TEXT|-"],
        notes: [
            "TEXT is plain text, Markdown (.md), subtitles whose times may be wrong (.srt, .vtt), or a transcript or list of "
                + "words in JSON. The text stays as it is: subtitles keep their cues, other texts are divided as --subtitles says. "
                + "Files are written only with --output-format or --output-dir, and named after the recording.",
            "Words that are not said are counted on standard error and have no time (null in json); a line of which nothing is "
                + "said is left out of subtitles. Words that are said but not in the text are counted, too; --verbose lists both.",
            "Exit status 65 if the text does not belong to the recording.",
        ],
        examples: [
            "talk.mp3 talk.txt", "talk.mp3 script.md -f srt,vtt,json,ass",
            "--language fr film.mkv film.srt -o new -f srt",
        ],
        operands: .files, listsStatuses: true,
        mostUsed: [
            "--model", "--language", "--threads", "--track", "--near", "--output-format", "--output-dir",
            "--no-timestamps", "--quiet", "--verbose",
        ])

    static let flags: [Flag<AlignOptions>] =
        ModelFlags.weights() + [
            SpokenLanguages.flag(sets: \.spoken), SpokenLanguages.listFlag(sets: \.spoken.possible),
        ]
        + ModelFlags.compute() + [
            .optionalInteger(
                "--track", in: .audio, "audio track to listen to", range: 1...999, noneAllowed: false,
                defaultValue: "the first", sets: \.track),
            .optionalNumber(
                "--near", in: .words,
                "look for cues near the times they have; at most N seconds away", .from(0), sets: \.near),
        ] + SubtitleFlags.layout() + [
            OutputFlags.formats(
                "write files: \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated"),
            OutputFlags.folder(
                "write files to this folder; without --output-format, txt, vtt, srt, tsv and json", defaultValue: "."),
            .toggle(
                "--no-timestamps", in: .output, "print only text on standard output", sets: \.showsTimestamps,
                to: false),
            .toggle(
                "--quiet", "-q", in: .output,
                "print only errors on standard error, and no text on standard output if files are written",
                sets: \.verbosity, to: .quiet),
            .toggle(
                "--verbose", "-v", in: .output,
                "list differences on standard error; what is not said, what is said but not in the text",
                sets: \.verbosity, to: .verbose),
            .toggle(
                "--no-progress", in: .output, "show no progress line on a terminal", sets: \.showsProgress, to: false),
        ]

    static func check(_ options: AlignOptions) throws(UsageError) {
        try Verbosity.check(options.given)
        try options.spoken.check(options.given)
    }

    static func run(_ options: AlignOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if options.spoken.isHelp { return try SpokenLanguages.list(context.streams) }
        let wanted = "whisper-local align FILE TEXT"
        guard let recording = operands.first else {
            throw UsageError.missingOperand("no recording given", wanted: wanted)
        }
        guard operands.count > 1 else { throw UsageError.missingOperand("no text given", wanted: wanted) }
        if operands.count > 2 { throw UsageError.unwantedOperand(operands[2]) }
        if recording == operands[1] {
            throw UsageError.contradiction(
                ShellQuoting.quoted(recording), "the same as the text", why: "one is the recording, the other its text")
        }
        let run = AlignRun(options, context: context)
        return try await run.run(recording, text: operands[1])
    }
}

/// The values of all options of `align`.
struct AlignOptions: SpokenOptions, OutputOptions, SubtitleLayout {
    var given: Set<String> = []
    var model: FilePath?
    var modelFolder: FilePath?
    var spoken = SpokenLanguages()
    var task = TranscriptionTask.transcribe
    var compute = ComputeOptions()
    /// Number of the audio track, from 1.
    var track: Int?
    /// Seconds around the times of cues.
    var near: Double?
    var formats: [OutputFormat] = []
    var folder: FilePath?
    var subtitles = SubtitleOptions()
    var showsTimestamps = true
    var verbosity = Verbosity.normal
    var showsProgress = true

    var writesFiles: Bool { !formats.isEmpty || folder != nil }
    var printsText: Bool { verbosity != .quiet || !writesFiles }

    /// The formats to write, as in `transcribe`.
    var writtenFormats: [OutputFormat] {
        formats.isEmpty && folder != nil ? [.txt, .vtt, .srt, .tsv, .json] : formats
    }

    /// The engine's options.
    var transcription: TranscriptionOptions {
        var options = TranscriptionOptions()
        spoken.apply(to: &options, given)
        return options
    }

    /// How the subtitles of a text are divided: cues stay what they are unless a style is given.
    func subtitles(for script: AlignmentScript) -> SubtitleOptions {
        var subtitles = subtitles
        subtitles.keepsSegments = script.areCues && subtitles.style == nil && !subtitles.hasWhisperOptions
        return subtitles
    }
}
