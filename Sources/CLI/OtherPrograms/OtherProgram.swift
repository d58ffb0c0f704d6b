import WhisperEngine

/// A program whose command line and output this one understands if it is started under that name: other programs start
/// it. It is `transcribe` that runs; nothing is recognized in another way.
enum OtherProgram: String, CaseIterable, Sendable {
    /// whisper.cpp's.
    case whisperCpp = "whisper-cli"
    /// openai-whisper's.
    case openAIWhisper = "whisper"

    /// - Parameter path: the name under which this program was started, with or without its folder.
    init?(startedAs path: [UInt8]) {
        self.init(rawValue: String(decoding: FilePath(bytes: path).name.bytes, as: UTF8.self))
    }

    func run(_ arguments: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if Parser.contains(["--help", "-h"], in: arguments) {
            try context.streams.writeOutput(TerminalText(help))
            return .success
        }
        if Parser.contains(["--version"], in: arguments) {
            try context.streams.writeOutput(TerminalText(Version.lines.map { $0 + "\n" }.joined()))
            return .success
        }
        try Dispatcher.prepare(context.environment)
        do {
            let line = try translate(arguments)
            for note in line.notes where !line.manner.isQuiet { context.streams.writeError("\(rawValue): \(note)\n") }
            let flags = TranscribeCommand.allFlags
            let parsed = try Parser.parse(line.arguments, entries: flags.map(\.entry), others: [])
            var options = try Parser.options(parsed, flags: flags) { _ in }
            options.manner = line.manner
            try TranscribeCommand.check(options)
            return try await TranscribeCommand.run(options, operands: line.inputs, context: context)
        } catch let error as UsageError {
            throw ErrorReport(.usage, error.what, advice: error.advice ?? "\(rawValue) --help")
        }
    }

    /// A command line of `transcribe` that does the same.
    private func translate(_ arguments: [[UInt8]]) throws(UsageError) -> TranslatedLine {
        var line =
            switch self {
            case .whisperCpp: try WhisperCppLine.translate(arguments)
            case .openAIWhisper: try OpenAIWhisperLine.translate(arguments)
            }
        guard !line.inputs.isEmpty else { throw .missingOperand("no input files", wanted: "\(rawValue) FILE") }
        line.add("--no-config")
        return line
    }

    /// The exit status that callers of the other program expect.
    ///
    /// - Parameter isThrown: whether the run could not continue.
    func code(_ status: ExitStatus, isThrown: Bool) -> Int32 {
        switch (self, status) {
        case (_, .success): 0
        case (_, .hangUp), (_, .interrupted), (_, .terminated): status.rawValue
        case (.whisperCpp, .usage): 1
        case (.whisperCpp, .noInput) where !isThrown: 2
        case (.whisperCpp, .cannotCreate), (.whisperCpp, .inputOutput): 10
        case (.whisperCpp, _): isThrown ? 3 : 10
        case (.openAIWhisper, .usage): 2
        case (.openAIWhisper, _): 1
        }
    }

    private var help: String {
        let (usage, options) =
            switch self {
            case .whisperCpp: ("[options] FILE …", WhisperCppLine.help)
            case .openAIWhisper: ("[options] FILE …", OpenAIWhisperLine.help)
            }
        let whose = self == .whisperCpp ? "whisper.cpp" : "openai-whisper"
        return """
            usage: \(rawValue) \(usage)

            This is whisper-local, which understands the options of \(whose)'s \(rawValue).
            `whisper-local transcribe` does more, with other options.

            \(options)
            """
    }
}

/// What differs from `transcribe` when this program runs under the name of another.
struct Manner: Sendable {
    let program: OtherProgram
    /// Whether the progress is printed line by line, for programs that read it.
    var printsProgress = false
    /// Whether nothing but the text is printed.
    var isQuiet = false
    /// Where the files of an input go, without their extension; those that are missing go beside their input, whose whole
    /// name they keep.
    var bases: [FilePath: FilePath] = [:]

    var isWhisperCpp: Bool { program == .whisperCpp }

    /// Where the files of an input go; `nil` if `transcribe` decides.
    func base(of input: FilePath) -> FilePath? {
        guard isWhisperCpp else { return nil }
        return bases[input] ?? (input == FilePath("-") ? FilePath("stdin") : input)
    }
}

/// A command line of `transcribe` that does what one of another program says.
struct TranslatedLine {
    var manner: Manner
    private(set) var arguments: [[UInt8]] = []
    var inputs: [[UInt8]] = []
    /// What the user should know.
    var notes: [String] = []

    init(_ program: OtherProgram) { manner = Manner(program: program) }

    mutating func add(_ words: String...) { arguments += words.map { Array($0.utf8) } }

    mutating func add(_ option: String, _ value: [UInt8]) { arguments.append(Array("\(option)=".utf8) + value) }
}
