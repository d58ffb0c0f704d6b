import WhisperEngine

/// Options shared by `live` and `dictate`.
protocol ListeningOptions: SpokenOptions {
    /// The microphone's ALSA name; `nil` uses `$WHISPER_LOCAL_DEVICE`, else the system default.
    var device: String? { get set }
    /// A recording to play in real time instead of using a microphone.
    var file: FilePath? { get set }
    /// The layout of headerless samples; `nil` if the audio has a header.
    var raw: RawFormat? { get set }
    var detector: DetectorChoice { get set }
    /// When off, all audio counts as speech.
    var detectsSpeech: Bool { get set }
    var usesContext: Bool { get set }
    var filtersPhrases: Bool { get set }
    /// The name of the session to save final text in.
    var session: String? { get set }
    var color: ColorChoice { get set }
    var verbosity: TranscribeOptions.Verbosity { get set }
}

extension ListeningOptions {
    /// The engine's options, as far as both commands can set them.
    var sharedStreaming: StreamingOptions {
        var options = StreamingOptions()
        if !usesContext { options.contextCharacters = 0 }
        options.filtersPhrases = filtersPhrases
        options.language = language?.code
        options.transcription.decoding.task = task
        return options
    }

    /// Rejects shared options that cannot be combined.
    func checkCombinations() throws(UsageError) {
        if given.contains("--quiet"), given.contains("--verbose") {
            throw .contradiction("--quiet", "--verbose", why: "one prints less, the other more")
        }
        if given.contains("--translate"), given.contains("--task"), task == .transcribe {
            throw .contradiction("--translate", "--task transcribe", why: "they are different tasks")
        }
        if given.contains("--file"), given.contains("--device") {
            throw .contradiction("--file", "--device", why: "there can be only one audio source")
        }
        if given.contains("--no-vad"), given.contains("--vad-model") {
            throw .contradiction("--no-vad", "--vad-model", why: "without speech detection there is no detector")
        }
    }
}

/// The speech detectors that `live`, `dictate` and `bench --live` can use.
enum DetectorChoice: String, CaseIterable, Sendable {
    /// Compares the loudness with the background noise.
    case energy
    /// Silero's network; its weights are a separate file.
    case silero

    /// - Throws: if Silero's weights are missing or damaged.
    func load(_ search: ModelSearch) throws -> any VoiceActivityDetector {
        switch self {
        case .energy: EnergyDetector()
        case .silero: SileroDetector(try VoiceActivityChoice.installedNetwork(search))
        }
    }
}
