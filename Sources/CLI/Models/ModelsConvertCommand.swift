import WhisperEngine

/// `models convert`: writes a model as a ggml file for this program and whisper.cpp.
enum ModelsConvertCommand: Command {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The number format of the matrices.
    enum Format: String, CaseIterable {
        case f32, f16, bf16, q8_0, q5_0, q5_1, q4_0, q4_1

        var elementType: ElementType? { ElementType(rawValue: rawValue.uppercased()) }
    }

    struct Options: OptionValues {
        var given: Set<String> = []
        var format = Format.f16
        var replaces = false
    }

    static let manual = CommandManual(
        name: "models convert", summary: "Convert a model to a ggml file, which whisper.cpp also reads",
        usage: ["[options] NAME|PATH OUTPUT"],
        notes: [
            "Converts a Whisper model of any supported format, or a Parakeet model with a TDT decoder. Quantized models are smaller and somewhat less accurate: q8_0 has "
                + "about half the size of f16, q5_0 and q5_1 a third, q4_0 and q4_1 a quarter.",
            "Matrices get the new number format; vectors, biases and positional embeddings stay float32, and "
                + "convolutions are f16 or f32. whisper.cpp 1.8 loads f32 files but cannot transcribe with them. Prints "
                + "the sizes and how far the new weights are from the old ones.",
        ],
        examples: ["tiny.en ggml-tiny.en-q5_0.bin --type q5_0", "path/to/fine-tuned ggml-mine.bin"], operands: .files)

    static let flags: [Flag<Options>] = [
        .choice("--type", in: .output, "number format of the matrices", sets: \.format),
        .toggle("--force", "-f", in: .output, "replace OUTPUT if it exists", sets: \.replaces, to: true),
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let wanted = "whisper-local models convert NAME OUTPUT"
        guard operands.count >= 2 else {
            throw UsageError.missingOperand("no \(operands.isEmpty ? "model" : "output file") given", wanted: wanted)
        }
        if operands.count > 2 { throw UsageError.unwantedOperand(operands[2]) }
        guard let type = options.format.elementType else {
            throw ErrorReport.internalError("no number format \(options.format.rawValue)")
        }
        let input = try ModelCommands.search(context).find(operands[0]).path, output = FilePath(bytes: operands[1])
        let model = try ModelFamilies.open(input)
        let converter = try converter(of: model, at: input, matrices: type)
        for warning in converter.warnings { context.streams.writeError("warning: \(warning)\n") }
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        let progress = ConversionProgress(context)
        defer { progress.hide() }
        do {
            // Without a library for matrix products, one thread converts.
            let report = try converter.write(
                to: output, replaces: options.replaces, by: try? ComputeOptions().makeBackend(),
                progress: progress.show)
            progress.hide()
            try context.streams.writeOutput(TerminalText(text(report, input: input, output: output)))
        } catch let error as OutputError {
            throw error.conversionReport
        }
        return .success
    }

    private static func converter(
        of model: any StoredModel, at path: FilePath, matrices: ElementType
    ) throws -> ModelConverter {
        if let file = model as? any WhisperFile { return try ModelConverter(file, matrices: matrices) }
        if let file = model as? any ParakeetFile { return try ModelConverter(file, matrices: matrices) }
        throw ErrorReport(
            .usage, "cannot convert \(path): it is a \(model.traits.family) model",
            advice: "use it as it is; only Whisper and Parakeet models have a ggml format")
    }

    private static func text(_ report: ConversionReport, input: FilePath, output: FilePath) -> String {
        let percent = (100 * report.bytesAfter + report.bytesBefore / 2) / max(1, report.bytesBefore)
        let sizes =
            "\(input): \(ByteCount.text(report.bytesBefore))\n"
            + "\(output): \(ByteCount.text(report.bytesAfter)) (\(percent)%)\n\n"
        var table = TextTable(header: ["CONVERTED", "TENSORS", "WEIGHTS", "LARGEST ERROR", "RMS ERROR"])
        table.rightAligned = [1, 2, 3, 4]
        table.rows = report.groups.map { group in
            [
                group.from == group.to ? group.to.name : "\(group.from.name) to \(group.to.name)", "\(group.tensors)",
                "\(group.error.count)", errorText(group.error.largest), errorText(group.error.rootMeanSquare),
            ]
        }
        return sizes + table.text
    }

    /// Three significant digits: `0.00123`, `1.23e-7`.
    private static func errorText(_ error: Double) -> String {
        guard error > 0 else { return "0" }
        var scale = 1.0
        while error * scale < 99.95 || error * scale >= 999.5 {
            scale = error * scale < 99.95 ? scale * 10 : scale / 10
        }
        return "\((error * scale).rounded() / scale)"
    }
}

/// The progress line of a conversion; only on a terminal.
private struct ConversionProgress {
    private let streams: StandardStreams
    private let isShown: Bool

    init(_ context: CommandContext) {
        streams = context.streams
        isShown = streams.errorIsTerminal && !Terminal.isDumb(context.environment)
    }

    func show(done: Int, total: Int) {
        if isShown { streams.writeError("\rconverting tensor \(done + 1) of \(total)\u{1b}[K") }
    }

    func hide() {
        if isShown { streams.writeError("\r\u{1b}[K") }
    }
}
