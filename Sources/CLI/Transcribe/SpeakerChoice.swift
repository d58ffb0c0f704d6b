import WhisperEngine

/// How a run of `transcribe` identifies speakers.
struct SpeakerChoice {
    /// The options of the command line.
    struct Options: Sendable {
        var isOn = false
        /// `nil` finds out how many there are.
        var count: Int?
        var minimum: Int?
        var maximum: Int?
        /// Whether speakers whose voices are enrolled are named.
        var namesKnown = false

        var limits: SpeakerLimits {
            count.map { SpeakerLimits(exactly: $0) } ?? SpeakerLimits(minimum: minimum ?? 1, maximum: maximum)
        }
    }

    /// The name of the installed weights.
    static let weightsName = "speakers.safetensors"

    private(set) var engine: SpeakerOptions
    /// Shown by `--verbose`.
    let detail: String
    /// What the user should know.
    private(set) var warning: String?

    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed, `VoiceStoreError`.
    init(_ options: TranscribeOptions, search: ModelSearch, environment: ProcessEnvironment) throws {
        engine = SpeakerOptions(
            networks: try Self.networks(search, options.compute.computeType, neededBy: "--speakers"),
            limits: options.speakers.limits, names: options.speakerNames)
        detail = "speakers: \(engine.networks.path)"
        guard options.speakers.namesKnown else { return }
        engine.knownVoices = try SpeakerCommands.voices(environment).entries.map(\.voice)
        if engine.knownVoices.isEmpty {
            warning = "no voice is known to --known-speakers: whisper-local speakers enroll NAME FILE"
        }
    }

    /// The installed networks.
    ///
    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    static func networks(
        _ search: ModelSearch, _ computeType: ComputeType = .auto, neededBy user: String
    ) throws -> SpeakerNetworks {
        guard let path = search.file(named: weightsName) else {
            throw ErrorReport(
                .unavailable, "\(weightsName) is not installed, which \(user) needs",
                advice: "install it with scripts/install-models.sh speakers")
        }
        return try SpeakerNetworks(path, computeType: computeType)
    }
}
