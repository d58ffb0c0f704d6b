import WhisperEngine

/// `models info`: what a model's files say about it, and the memory that it needs.
enum ModelsInfoCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false
    }

    static let manual = CommandManual(
        name: "models info", summary: "Show the format, size, languages and memory needs of a model",
        usage: ["[--json] NAME|PATH"],
        notes: ["Memory is for one recording with the default beam size; `--batch-size` needs more."],
        examples: ["tiny.en", "--json path/to/model.pt"], operands: .files)

    static let flags: [Flag<Options>] = [
        .toggle("--json", in: .output, "print a JSON object instead of text", sets: \.printsJSON, to: true)
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let name = try manual.onlyOperand(of: operands, "model", "NAME")
        let match = try ModelCommands.search(context).find(name)
        let model = try ModelFamilies.open(match.path)
        try context.streams.writeOutput(TerminalText(options.printsJSON ? json(match, model) : text(match, model)))
        return .success
    }

    private static func text(_ match: ModelMatch, _ model: any StoredModel) -> String {
        var rows = [("name", ShellQuoting.quoted(match.name)), ("path", "\(match.path)")]
        if let model = match.model { rows.append(("found in", model.origin)) }
        rows += [("format", model.format), ("size", ByteCount.text(ModelState.bytes(of: match.path)))]
        if let type = model.mainType { rows.append(("type", type.name)) }
        rows += [("languages", LanguageText.of(model.traits.languages)), ("parameters", "\(model.parameters)")]
        rows += model.details.rows.map { ($0.title, $0.text) }
        rows += memory(model).enumerated().map { index, memory in
            (index == 0 ? "memory" : "", Help.padded(memory.type.rawValue, to: 9) + ByteCount.text(memory.bytes))
        }
        return rows.map { "\(Help.padded($0.0, to: 12))\($0.1)\n" }.joined()
    }

    private static func json(_ match: ModelMatch, _ model: any StoredModel) -> String {
        let members = [
            ("name", JSONText.string(match.name)),
            ("path", JSONText.string(String(decoding: match.path.bytes, as: UTF8.self))),
            ("place", JSONText.string(match.model?.place.owner.rawValue)),
            ("repository", JSONText.string(match.model?.repository)), ("format", JSONText.string(model.format)),
            ("bytes", "\(ModelState.bytes(of: match.path))"), ("type", JSONText.string(model.mainType?.name)),
            ("languages", "\(model.traits.languages.count)"), ("parameters", "\(model.parameters)"),
        ]
        let memory = JSONText.object(memory(model).map { ($0.type.rawValue, "\($0.bytes)") })
        return JSONText.object(members + model.details.members + [("memory", memory)]) + "\n"
    }

    /// What `transcribe` needs with the default options.
    private static func memory(_ model: any StoredModel) -> [(type: ComputeType, bytes: Int)] {
        [.float32, .bfloat16, .int16, .int8].map { ($0, model.memory(ComputeOptions(computeType: $0))) }
    }
}
