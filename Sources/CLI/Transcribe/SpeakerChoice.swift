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

        var limits: SpeakerLimits {
            count.map { SpeakerLimits(exactly: $0) } ?? SpeakerLimits(minimum: minimum ?? 1, maximum: maximum)
        }
    }

    /// The name of the installed weights.
    static let weightsName = "speakers.safetensors"

    let engine: SpeakerOptions
    /// Shown by `--verbose`.
    let detail: String

    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    init(_ options: TranscribeOptions, search: ModelSearch) throws {
        guard let path = search.file(named: Self.weightsName) else {
            throw ErrorReport(
                .unavailable, "\(Self.weightsName) is not installed, which --speakers needs",
                advice: "install it with scripts/install-models.sh speakers")
        }
        engine = SpeakerOptions(
            networks: try SpeakerNetworks(path, computeType: options.compute.computeType),
            limits: options.speakers.limits, names: options.speakerNames)
        detail = "speakers: \(path)"
    }
}
