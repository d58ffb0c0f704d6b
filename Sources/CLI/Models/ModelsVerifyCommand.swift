import WhisperEngine

/// `models verify`: reads models completely and compares them with what has been published.
enum ModelsVerifyCommand: Command {
    static let manual = CommandManual(
        name: "models verify", summary: "Check that models are complete and undamaged", usage: ["[NAME|PATH …]"],
        notes: [
            "Without a NAME, all installed models are checked: their structure, that every weight is a finite number, and "
                + "the digests of files in the Hugging Face cache and of those that `models pull` installs. The "
                + "exit status is 65 if one is damaged."
        ],
        examples: ["tiny.en base"], operands: .files)

    static func run(_ options: NoOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
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
    /// - Returns: what is known about its digests.
    /// - Throws: `ModelError`, `DigestMismatch`.
    static func check(_ name: String, _ path: FilePath) throws -> String {
        let file = try ModelFamilies.open(path)
        // Digests come first: if one is wrong, invalid weights mean damage; otherwise they were published that way.
        let digests = try checkDigests(name, path)
        try file.verify()
        for tensor in file.tensors.values.sorted(by: {
            ($0.bytes.lowerBound, $0.name) < ($1.bytes.lowerBound, $1.name)
        }) { _ = try tensor.floats() }
        try file.checkUnchanged()
        return digests
    }

    private static func checkDigests(_ name: String, _ path: FilePath) throws -> String {
        // Published files are recognized by their names.
        if let published = ModelCatalogue.models.first(where: { path.name == FilePath($0.fileName) }),
            let digest = published.sha256
        {
            try check(path, .sha256(digest))
            return "SHA-256 matches the published one"
        }
        if path.name == FilePath("ggml-\(name).bin"), let digest = ModelCatalogue.digest(named: name) {
            try check(path, .sha1(digest))
            return "SHA-1 matches the published one"
        }
        let files = ModelState.files(of: path).compactMap { file in
            HuggingFaceCache.digest(of: file.path).map { (file.path, $0) }
        }
        for (file, digest) in files { try check(file, digest, blob: try? DiskAccess.resolved(file)) }
        switch files.count {
        case 0: return "no published digest to compare with"
        case 1: return "1 file has the digest that it has on the Hugging Face hub"
        default: return "\(files.count) files have the digests that they have on the Hugging Face hub"
        }
    }

    private static func check(_ path: FilePath, _ digest: PublishedDigest, blob: FilePath? = nil) throws {
        let found: String?
        do throws(FileError) {
            found = try digest.computed(of: try ReadOnlyFile(path))
        } catch {
            throw ModelError(error, path: path)
        }
        guard let found, found != digest.text else { return }
        throw DigestMismatch(path: path, kind: digest.kind, found: found, wanted: digest.text, blob: blob)
    }

    struct DigestMismatch: ReportedError, Equatable {
        let path: FilePath
        let kind: String
        let found: String
        let wanted: String
        /// In the Hugging Face cache, the file that `path` links to.
        let blob: FilePath?

        var report: ErrorReport {
            ErrorReport(
                .badData, "\(path) is not the published file: its \(kind) is \(found), not \(wanted)",
                advice: blob.map { "rm \($0), then download the model again" }
                    ?? "download it again, or rename it if it is a model of your own")
        }
    }
}
