import WhisperEngine

/// What tells speech from silence in a run: the detector asked for, else Silero's where its weights are installed.
struct VoiceActivityChoice {
    /// What the command line says.
    struct Options: Sendable {
        enum Model: Sendable, Equatable {
            /// Silero's where its weights are installed, else energy.
            case best
            case energy
            /// The installed weights.
            case silero
            case weights(FilePath)
        }

        var isOn = false
        var model = Model.best
        var threshold = Double(VoiceActivityOptions.defaultThreshold)
        var minSpeechMilliseconds = 0
        /// `nil` leaves it to the engine.
        var minSilenceMilliseconds: Int?
        var speechPadMilliseconds = VoiceActivityOptions.defaultSpeechPadMilliseconds
    }

    static let fileName = "silero_vad_16k.safetensors"

    let engine: VoiceActivityOptions
    /// What `--verbose` says.
    let detail: String
    let warnings: [String]

    /// - Throws: `ErrorReport` where the weights asked for are missing or damaged.
    init(_ options: TranscribeOptions, search: ModelSearch) throws {
        let found = try Self.network(options.vad.model, search: search)
        var engine = VoiceActivityOptions(detector: found.map { .silero($0) } ?? .energy)
        engine.threshold = Float(options.vad.threshold)
        engine.minSpeechMilliseconds = options.vad.minSpeechMilliseconds
        engine.minSilenceMilliseconds = options.vad.minSilenceMilliseconds
        engine.speechPadMilliseconds = options.vad.speechPadMilliseconds
        self.engine = engine
        detail = "speech is told from silence by " + (found.map { "\($0.path)" } ?? "its loudness")
        let isIgnored = found == nil && options.given.contains("--vad-threshold")
        warnings =
            isIgnored
            ? ["--vad-threshold has no effect: \(Self.fileName) is not installed, loudness decides"] : []
    }

    private static func network(_ model: Options.Model, search: ModelSearch) throws -> SileroNetwork? {
        let path: FilePath
        switch model {
        case .energy: return nil
        case .weights(let given): path = given
        case .best:
            guard let installed = search.file(named: fileName) else { return nil }
            path = installed
        case .silero: return try installedNetwork(search)
        }
        return try SileroNetwork(path)
    }

    /// - Throws: if the weights are not installed or damaged.
    static func installedNetwork(_ search: ModelSearch) throws -> SileroNetwork {
        guard let path = search.file(named: fileName) else { throw Missing() }
        return try SileroNetwork(path)
    }

    private struct Missing: ReportedError {
        var report: ErrorReport {
            ErrorReport(
                .unavailable, "\(fileName) is not installed",
                cure: "put it into a folder that `whisper-local doctor` names, or --vad-model energy")
        }
    }
}
