import WhisperEngine

/// `models info`: what a model's files say about it, and the memory that it needs.
enum ModelsInfoCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false

        init() {}
    }

    static let manual = CommandManual(
        name: "models info", summary: "Show the format, size, languages and memory needs of a model",
        usage: ["[--json] NAME|PATH"],
        notes: ["Memory is for one recording with the default beam size; `--batch-size` needs more."],
        examples: ["tiny.en", "--json path/to/model.pt"], operands: .files)

    static let flags: [Flag<Options>] =
        [
            .toggle("--json", in: .output, "print a JSON object instead of text", sets: \.printsJSON, to: true)
        ] + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let name = try ModelCommands.name(operands, command: manual)
        let match = try ModelCommands.search(context).find(name)
        let facts = try ModelFacts(match.path)
        try context.streams.writeOutput(TerminalText(options.printsJSON ? json(match, facts) : text(match, facts)))
        return .success
    }

    private static let computeTypes: [ComputeType] = [.float32, .bfloat16, .int16, .int8]

    private static func text(_ match: ModelMatch, _ facts: ModelFacts) -> String {
        let d = facts.dimensions
        var rows = [("name", ShellQuoting.quoted(match.name)), ("path", "\(match.path)")]
        if let model = match.model { rows.append(("found in", model.origin)) }
        rows += [
            ("format", facts.format), ("size", ByteCount.text(ModelState.bytes(of: match.path))), ("type", facts.type),
            ("languages", ModelFacts.languageText(facts.languages)), ("parameters", "\(facts.parameters)"),
            ("encoder", layers(d.nAudioLayer, heads: d.nAudioHead, width: d.nAudioState, context: d.nAudioCtx)),
            ("decoder", layers(d.nTextLayer, heads: d.nTextHead, width: d.nTextState, context: d.nTextCtx)),
            ("mel bands", "\(d.nMels)"), ("vocabulary", "\(d.nVocab) tokens"), ("alignment", alignment(facts)),
        ]
        rows += computeTypes.enumerated().map { index, type in
            (index == 0 ? "memory" : "", "\(Help.padded(type.rawValue, to: 9))\(ByteCount.text(facts.memory(type)))")
        }
        return rows.map { "\(Help.padded($0.0, to: 12))\($0.1)\n" }.joined()
    }

    private static func layers(_ count: Int, heads: Int, width: Int, context: Int) -> String {
        "\(Counted.text(count, "layer")), \(Counted.text(heads, "head")), width \(width), context \(context)"
    }

    private static func alignment(_ facts: ModelFacts) -> String {
        switch facts.alignmentSource {
        case .file: "heads for word timestamps are stored in the model"
        case .known: "heads for word timestamps are known"
        case .unknown: "heads for word timestamps are not known; word times are less accurate"
        }
    }

    private static func json(_ match: ModelMatch, _ facts: ModelFacts) -> String {
        let d = facts.dimensions
        let dimensions = [
            ("n_mels", d.nMels), ("n_vocab", d.nVocab), ("n_audio_ctx", d.nAudioCtx),
            ("n_audio_state", d.nAudioState), ("n_audio_head", d.nAudioHead), ("n_audio_layer", d.nAudioLayer),
            ("n_text_ctx", d.nTextCtx), ("n_text_state", d.nTextState), ("n_text_head", d.nTextHead),
            ("n_text_layer", d.nTextLayer),
        ]
        return JSONText.object([
            ("name", JSONText.string(match.name)),
            ("path", JSONText.string(String(decoding: match.path.bytes, as: UTF8.self))),
            ("place", JSONText.string(match.model?.place.owner.rawValue)),
            ("repository", JSONText.string(match.model?.repository)), ("format", JSONText.string(facts.format)),
            ("bytes", "\(ModelState.bytes(of: match.path))"), ("type", JSONText.string(facts.type)),
            ("languages", "\(facts.languages)"), ("parameters", "\(facts.parameters)"),
            ("dimensions", JSONText.object(dimensions.map { ($0.0, "\($0.1)") })),
            ("alignment_heads", JSONText.string(facts.alignmentSource.rawValue)),
            ("memory", JSONText.object(computeTypes.map { ($0.rawValue, "\(facts.memory($0))") })),
        ]) + "\n"
    }
}
