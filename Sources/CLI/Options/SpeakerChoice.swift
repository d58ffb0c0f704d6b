import WhisperEngine

/// How a run of `transcribe` or `live` identifies speakers.
struct SpeakerChoice {
    /// The options of the command line.
    struct Options: Sendable {
        var isOn = false
        /// `nil` finds out how many there are.
        var count: Int?
        var minimum: Int?
        var maximum: Int?
        /// In the order in which they first talk.
        var names: [String] = []
        /// Whether speakers whose voices are enrolled are named.
        var namesKnownSpeakers = false

        var limits: SpeakerLimits {
            count.map { SpeakerLimits(exactly: $0) } ?? SpeakerLimits(minimum: minimum ?? 1, maximum: maximum)
        }

        /// - Parameter given: the options on the command line and in the config file.
        func checkKnownVoices(_ given: Set<String>) throws(UsageError) {
            guard given.contains("--known-speakers"), namesKnownSpeakers else { return }
            if !isOn { throw .needs("--known-speakers", "--speakers") }
            if given.contains("--speaker-names"), !names.isEmpty {
                throw .contradiction(
                    "--known-speakers", "--speaker-names", why: "one names speakers by voice, the other by order")
            }
        }
    }

    private(set) var engine: SpeakerOptions
    /// Shown by `--verbose`.
    let detail: String
    /// What the user should know.
    private(set) var warning: String?

    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed, `VoiceStoreError`.
    init(
        _ options: Options, _ computeType: ComputeType, search: ModelSearch, environment: ProcessEnvironment
    ) throws {
        engine = SpeakerOptions(
            networks: try Self.networks(search, computeType, neededBy: "--speakers"), limits: options.limits,
            names: options.names)
        detail = "speakers: \(engine.networks.path)"
        guard options.namesKnownSpeakers else { return }
        engine.knownVoices = try SpeakerCommands.voices(environment).entries.map(\.voice)
        if engine.knownVoices.isEmpty {
            warning = "--known-speakers has no effect: no voices are enrolled (whisper-local speakers enroll NAME FILE)"
        }
    }

    /// The installed networks.
    ///
    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    static func networks(
        _ search: ModelSearch, _ computeType: ComputeType = .auto, neededBy user: String
    ) throws -> SpeakerNetworks {
        guard let path = search.path(of: .speakers) else {
            throw ErrorReport(
                .unavailable, "\(user) needs \(HelperNetwork.speakers.fileName), which is not installed",
                advice: "whisper-local models pull speakers")
        }
        return try SpeakerNetworks(path, computeType: computeType)
    }
}
