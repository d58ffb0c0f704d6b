import WhisperEngine

/// `doctor`: reports what this machine offers and what is missing.
enum DoctorCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var testsMicrophone = false
    }

    static let manual = CommandManual(
        name: "doctor", summary: "Show the processor, libraries, models and settings", usage: ["[options]"],
        notes: [
            "Also shows what is missing and how to install it; the exit status is always 0.",
            "$WHISPER_LOCAL_INSTRUCTION_SET (\(Processor.instructionSets.joined(separator: ", "))) limits this program "
                + "and its libraries to older processor instructions.",
        ])

    static let flags: [Flag<Options>] = [
        .toggle(
            "--microphone", in: .general, "record for a second and show the level", sets: \.testsMicrophone,
            to: true)
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let word = operands.first { throw UsageError.unwantedOperand(word) }
        if OpenBLASKernels.isMeasuring(context.environment) {
            try context.streams.writeOutput(TerminalText(try OpenBLASKernels.measurement()))
            return .success
        }
        let search = ModelSearch(environment: context.environment, executable: ProcessEnvironment.executable)
        var rows: [(title: String, lines: [String])] = [
            ("version", Version.lines),
            ("processor", [processor]), ("formats", try LibraryReport.numberFormats()), ("memory", [memory]),
            ("libraries", LibraryReport.libraries()), ("devices", Microphones.described(context.environment)),
            ("typing", typing(context.environment)), ("models", models(search)),
            ("searched", search.places.map { "\($0.folder)  (\($0.description))" }),
            ("config", config(context)),
        ]
        if options.testsMicrophone { rows.append(("level", [await Microphones.level()])) }
        let text = rows.map { row in
            let lines = row.lines.isEmpty ? ["none"] : row.lines
            let titles = [row.title] + Array(repeating: "", count: lines.count - 1)
            return zip(titles, lines).map { "\(Help.padded($0, to: 11))\($1)\n" }.joined()
        }.joined()
        try context.streams.writeOutput(TerminalText(text))
        return .success
    }

    private static var processor: String {
        let cores = Counted.text(Processor.availableCores, "core")
        let isLimited = ProcessEnvironment.process.bytes(Processor.instructionSetVariable) != nil
        return "\(Machine.processorName ?? "unknown"), \(cores) usable, "
            + "\(Processor.instructionSet) kernels\(isLimited ? " (from $\(Processor.instructionSetVariable))" : "")"
    }

    private static var memory: String {
        guard let memory = SystemMemory.ofMachine else { return "unknown" }
        func gibibytes(_ bytes: Int) -> String { OneDecimal.text(Double(bytes) / 1_073_741_824) }
        return "\(gibibytes(memory.total)) GiB, \(gibibytes(memory.available)) GiB available"
    }

    private static func models(_ search: ModelSearch) -> [String] {
        search.installed().map { model in
            "\(ShellQuoting.quoted(model.name))  \(model.path)  \(ByteCount.text(model.bytes))  (\(model.origin))"
        }
    }

    /// How `dictate --type` types, and what is missing.
    private static func typing(_ environment: ProcessEnvironment) -> [String] {
        do throws(TypingPlan.Obstacle) {
            let plan = try TypingPlan(.auto, environment: environment)
            return [plan.ways.map(\.name).joined(separator: ", then ")] + (plan.problem.map { [$0] } ?? [])
        } catch {
            return ["none: \(error.line)"]
        }
    }

    private static func config(_ context: CommandContext) -> [String] {
        guard let path = context.config.path else {
            return ["none: neither XDG_CONFIG_HOME nor HOME is an absolute path"]
        }
        do throws(ConfigError) {
            let lines = try context.config.lines()
            var options = TranscribeOptions()
            try context.config.apply(TranscribeCommand.allFlags, to: &options)
            return lines.isEmpty ? ["\(path): nothing set"] : ["\(path)"] + lines.map { "  \($0.text)" }
        } catch {
            return [error.report.what]
        }
    }
}
