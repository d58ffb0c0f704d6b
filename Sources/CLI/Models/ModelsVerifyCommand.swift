import WhisperEngine

/// `models verify`: reads models completely and compares them with what has been published.
enum ModelsVerifyCommand: Command {
    typealias Options = ModelCommands.NoOptions

    static let manual = CommandManual(
        name: "models verify", summary: "Check that models are complete and undamaged", usage: ["[NAME|PATH …]"],
        notes: [
            "Without a NAME, all installed models are checked: their structure, that every weight is a finite number, and "
                + "the SHA-1 of ggml files for which whisper.cpp has published one. The exit status is 65 if one is "
                + "damaged."
        ],
        examples: ["tiny.en base"], operands: .files)

    static let flags: [Flag<Options>] = CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let search = ModelCommands.search(context)
        let models: [(name: String, path: FilePath)]
        if operands.isEmpty {
            models = search.all().map { ($0.model.name, $0.model.path) }
        } else {
            // An unknown name is reported before anything is read.
            models = try operands.map { operand in
                let match = try search.find(operand)
                return (match.name, match.path)
            }
        }
        if models.isEmpty { context.streams.writeError("no models are installed\n") }
        var status = ExitStatus.success
        for (name, path) in models {
            if context.streams.errorIsTerminal { context.streams.writeError("\rreading \(path)\u{1b}[K") }
            let result = Result { try ModelVerification.check(name, path) }
            if context.streams.errorIsTerminal { context.streams.writeError("\r\u{1b}[K") }
            switch result {
            case .success(let digest):
                try context.streams.writeOutput("\(ShellQuoting.quoted(name)): ok, \(digest) (\(path))\n")
            case .failure(let error):
                let report = ErrorReport(error)
                try context.streams.writeOutput("\(ShellQuoting.quoted(name)): \(report.singleLine)\n")
                if status == .success { status = report.status }
            }
            if let status = context.signals.received { return status }
        }
        return status
    }
}

/// The checks of one model.
enum ModelVerification {
    /// Reads a model completely.
    ///
    /// - Returns: what is known about its digest.
    /// - Throws: `ModelError`, `DigestMismatch`.
    static func check(_ name: String, _ path: FilePath) throws -> String {
        let file = try ModelFile.open(path)
        // The digest first: it tells a damaged file from one that was published with such numbers.
        let digest = try digest(of: name, path)
        try (file as? PyTorchFile)?.verify()
        for (name, _) in TensorShapes.all(file.dimensions) { _ = try file.tensor(name).floats() }
        try file.checkUnchanged()
        return digest
    }

    private static func digest(of name: String, _ path: FilePath) throws -> String {
        let unknown = "no published digest to compare with"
        // Digests have been published for ggml files, which are recognized by their names.
        guard path.name == FilePath("ggml-\(name).bin"), let wanted = ModelCatalogue.digest(named: name) else {
            return unknown
        }
        let found: String?
        do throws(FileError) {
            found = try SHA1.hexadecimal(of: try ReadOnlyFile(path))
        } catch {
            throw ModelError(error, path: path)
        }
        guard let found else { return unknown }
        guard found == wanted else { throw DigestMismatch(path: path, found: found, wanted: wanted) }
        return "SHA-1 matches the published one"
    }

    struct DigestMismatch: ReportedError, Equatable {
        let path: FilePath
        let found: String
        let wanted: String

        var report: ErrorReport {
            ErrorReport(
                .badData, "\(path) is not the published file: its SHA-1 is \(found), not \(wanted)",
                advice: "download it again, or rename it if it is a model of your own")
        }
    }
}
