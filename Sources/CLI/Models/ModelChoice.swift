import WhisperEngine

/// The model to load: the one given, else the environment's, else the default.
struct ModelChoice {
    static let variable = "WHISPER_LOCAL_MODEL"
    /// Used if it is installed.
    static let defaultName = "tiny.en"
    /// Comes with this program.
    static let demonstrationName = "nano.en"

    /// What a model is for, which decides among the installed ones if the user has named none.
    enum Purpose {
        /// A model of a family that makes fewer errors is used rather than the default.
        case recordings
        /// The default is used, for which live audio was tuned; without it, preferably a model trained for live audio.
        case liveAudio
        /// The default is used; without it, a model for recordings.
        case both
    }

    private let match: ModelMatch
    let search: ModelSearch
    /// What the user should know about the model that was chosen for them.
    let note: String?
    /// What they should know about models that would have been chosen, but cannot be used.
    let remarks: [String]

    var path: FilePath { match.path }
    /// Where it was found, for `--verbose`.
    var detail: String? { match.detail }
    /// The name used in messages and output files.
    var name: String { match.name }
    /// The lines for a user who has named no model.
    var notes: [String] { remarks + [note].compactMap { $0 } }

    /// - Parameter suits: whether a model of a family that is better than the default suits what the user has asked for.
    init(
        _ options: some ModelOptions, for purpose: Purpose, suits: (ModelTraits) -> Bool = { _ in true },
        context: CommandContext
    ) throws {
        let search = ModelSearch(
            first: options.modelFolder, environment: context.environment, executable: ProcessEnvironment.executable)
        self.search = search
        let fromVariable = options.model == nil ? context.environment.bytes(Self.variable) : nil
        if let wanted = options.model?.bytes ?? fromVariable {
            do {
                (match, note, remarks) = (try search.find(wanted), nil, [])
            } catch {
                throw error.report(from: fromVariable == nil ? nil : Self.variable)
            }
            return
        }
        let standard: Result<ModelMatch, ModelSearchError>
        do throws(ModelSearchError) {
            standard = .success(try search.find(named: Array(Self.defaultName.utf8)))
        } catch { standard = .failure(error) }
        if purpose != .recordings, case .success(let match) = standard {
            (self.match, note, remarks) = (match, nil, [])
            return
        }
        let preferred = search.preferred(forLiveAudio: purpose == .liveAudio, where: suits)
        let damaged = preferred.damaged.map { "warning: \(Self.notUsed($0.report))" }
        if purpose == .recordings, let match = preferred.match {
            (self.match, note, remarks) = (match, Self.note(on: match), damaged)
            return
        }
        switch standard {
        case .success(let match): (self.match, note, remarks) = (match, nil, damaged)
        case .failure(let error):
            // Without the demonstration, the user needs to know about the default.
            guard let match = preferred.match ?? (try? search.find(named: Array(Self.demonstrationName.utf8))) else {
                throw error.report
            }
            self.match = match
            note = preferred.match.map { Self.note(on: $0) } ?? Self.demonstrationNote
            let isInstalled = if case .notInstalled = error { false } else { true }
            remarks = damaged + (isInstalled ? ["note: \(error.report.what)"] : [])
        }
    }

    private static func note(on match: ModelMatch) -> String {
        "note: using the model \(ShellQuoting.shown(match.name)); --model chooses another"
    }

    private static let demonstrationNote =
        "note: \(demonstrationName) is only a demonstration that knows a few hundred words; for real speech: "
        + "whisper-local models pull \(defaultName)"

    private static func notUsed(_ report: ErrorReport) -> String {
        "\(report.what); it is not used" + (report.advice.map { " (\($0))" } ?? "")
    }

    /// Loads the model; with `--verbose` the console shows where it was found and how long that took.
    ///
    /// - Parameter showsNote: whether the console shows what the user should know about the default model.
    func load(_ options: ComputeOptions, console: Console, showsNote: Bool = true) async throws -> Recognizer {
        for line in showsNote ? notes : remarks { console.note(line) }
        if let detail { console.detail(detail) }
        let start = ContinuousClock.now
        let (recognizer, path) = try await open(options, console: console)
        let milliseconds = (ContinuousClock.now - start) / Duration.milliseconds(1)
        console.detail("model \(name) (\(path)) loaded in \(Int(milliseconds)) ms")
        if let detail = recognizer.model.packedWeights.detail { console.detail(detail) }
        return recognizer
    }

    /// Opens the model, or the next one with its name if it is damaged: openai-whisper, for instance, downloads
    /// straight into the final file, so an interruption leaves a truncated one.
    private func open(_ options: ComputeOptions, console: Console) async throws -> (Recognizer, FilePath) {
        do {
            return (try await Recognizer(model: path, options: options), path)
        } catch let error as ModelError where error.category != .outOfResources {
            for other in match.others {
                guard let recognizer = try? await Recognizer(model: other.path, options: options) else { continue }
                console.warning("\(error.report.what); using \(other.path) in \(other.origin)")
                return (recognizer, other.path)
            }
            throw error
        }
    }
}

extension PackedWeights {
    /// Shown by `--verbose`; `nil` without `--packed-weights`.
    var detail: String? {
        switch self {
        case .own: nil
        case .shared(let path, let isNew): "weights \(isNew ? "packed into" : "mapped from") \(path)"
        case .notShared(let folder, let failure): "weights not shared: \(failure.reason(in: folder))"
        }
    }
}

extension PackedWeightFailure {
    fileprivate func reason(in folder: FilePath) -> String {
        switch self {
        case .disk(let fault): "\(fault.outputError(at: folder.appending("x")))"
        case .remoteFolder: "\(folder) is not on a disk of this machine"
        case .busy: "another process is still packing them into \(folder)"
        case .otherContent: "\(folder) has other weights for this model"
        case .unprotected: "files in \(folder) cannot be protected from changes"
        case .notMapped: "files in \(folder) cannot be mapped"
        case .noIdentity: "cannot identify this boot of the system"
        }
    }
}
