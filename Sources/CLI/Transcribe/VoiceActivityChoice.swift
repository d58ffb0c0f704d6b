import WhisperEngine

/// How a run of `transcribe` detects speech.
struct VoiceActivityChoice {
    /// The options of the command line.
    struct Options: Sendable {
        var isOn = false
        /// `nil` is Silero's network if its weights are installed, else energy.
        var detector: DetectorChoice?
        /// The weights of Silero's network; `nil` uses the installed ones.
        var weights: FilePath?
        var threshold = Double(VoiceActivityOptions.defaultThreshold)
        var minSpeechMilliseconds = 0
        /// `nil` is the engine's default.
        var minSilenceMilliseconds: Int?
        var speechPadMilliseconds = VoiceActivityOptions.defaultSpeechPadMilliseconds
    }

    let engine: VoiceActivityOptions
    /// Shown by `--verbose`.
    let detail: String
    let warnings: [String]

    /// - Throws: the errors of `DetectorChoice.load`.
    init(_ options: TranscribeOptions, search: ModelSearch) throws {
        let threshold = Float(options.vad.threshold)
        let detector =
            try options.vad.detector?.load(search, weights: options.vad.weights, threshold: threshold)
            ?? .installed(search, threshold: threshold)
        var engine = VoiceActivityOptions(detector: detector)
        engine.minSpeechMilliseconds = options.vad.minSpeechMilliseconds
        engine.minSilenceMilliseconds = options.vad.minSilenceMilliseconds
        engine.speechPadMilliseconds = options.vad.speechPadMilliseconds
        self.engine = engine
        switch detector {
        case .silero(let network, _):
            detail = "speech detection: \(network.path)"
            warnings = []
        case .energy:
            detail = "speech detection: energy"
            let reason = options.vad.detector == .energy ? "" : "; \(HelperNetwork.silero.fileName) is not installed"
            warnings =
                options.given.contains("--vad-threshold")
                ? ["--vad-threshold has no effect on energy detection" + reason] : []
        }
    }
}
