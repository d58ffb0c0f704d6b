import WhisperEngine

/// The speech detector of a run: the requested one, or else Silero's if its weights are installed.
struct VoiceActivityChoice {
    /// The options of the command line.
    struct Options: Sendable {
        enum Model: Sendable, Equatable {
            /// Silero's if its weights are installed, else energy.
            case best
            case energy
            /// Silero's with the installed weights.
            case silero
            /// Silero's with these weights.
            case weights(FilePath)
        }

        var isOn = false
        var model = Model.best
        var threshold = Double(VoiceActivityOptions.defaultThreshold)
        var minSpeechMilliseconds = 0
        /// `nil` is the engine's default.
        var minSilenceMilliseconds: Int?
        var speechPadMilliseconds = VoiceActivityOptions.defaultSpeechPadMilliseconds
    }

    static let fileName = "silero_vad_16k.safetensors"

    let engine: VoiceActivityOptions
    /// Shown by `--verbose`.
    let detail: String
    let warnings: [String]

    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    init(_ options: TranscribeOptions, search: ModelSearch) throws {
        let network = try Self.network(options.vad.model, search: search)
        var engine = VoiceActivityOptions(
            detector: network.map { .silero($0, threshold: Float(options.vad.threshold)) } ?? .energy)
        engine.minSpeechMilliseconds = options.vad.minSpeechMilliseconds
        engine.minSilenceMilliseconds = options.vad.minSilenceMilliseconds
        engine.speechPadMilliseconds = options.vad.speechPadMilliseconds
        self.engine = engine
        detail = "speech detection: " + (network.map { "\($0.path)" } ?? "energy")
        guard network == nil, options.given.contains("--vad-threshold") else {
            warnings = []
            return
        }
        let reason = options.vad.model == .energy ? "" : "; \(Self.fileName) is not installed"
        warnings = ["--vad-threshold has no effect on energy detection" + reason]
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
                advice: "put it into a folder listed by `whisper-local doctor`, or use --vad-model energy")
        }
    }
}
