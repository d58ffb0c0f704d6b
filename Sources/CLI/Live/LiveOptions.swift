import WhisperEngine

/// Options that `live` and `dictate` share.
protocol ListeningOptions: SpokenOptions {
    /// As the sound system calls it; `nil` is `$WHISPER_LOCAL_DEVICE`, else the system's own choice.
    var device: String? { get set }
    /// Played as if it were spoken now.
    var file: FilePath? { get set }
    /// Samples have no header and are laid out so.
    var raw: RawFormat? { get set }
    var detector: DetectorChoice { get set }
    /// All sound is taken for speech.
    var takesAllSound: Bool { get set }
    var usesContext: Bool { get set }
    var filtersPhrases: Bool { get set }
    /// Name of the session that the text is kept in.
    var session: String? { get set }
    var color: ColorChoice { get set }
    var verbosity: TranscribeOptions.Verbosity { get set }
}

/// All options of `live`.
struct LiveOptions: ListeningOptions {
    var given: Set<String> = []

    // Model
    var model: FilePath?
    var modelFolder: FilePath?
    var language: Language?
    var listsLanguages = false
    var task = TranscriptionTask.transcribe
    var compute = ComputeOptions()

    // Sound
    var device: String?
    var listsDevices = false
    var file: FilePath?
    var speed = PlaybackSpeed.realTime
    var raw: RawFormat?
    /// Seconds to hear; `nil` is all.
    var duration: Double?

    // Listening
    var commit = StreamingOptions().policy
    var step = StreamingOptions().step
    var detector = DetectorChoice.energy
    var takesAllSound = false
    var usesContext = true
    var filtersPhrases = true
    var isDeterministic = false

    // Output
    var printsJSON = false
    var showsTimestamps = true
    var color = ColorChoice.auto
    var verbosity = TranscribeOptions.Verbosity.normal

    // Keeping
    var session: String?
    var showsUnsaved = false
    var savedAudio: FilePath?
    /// The sound is saved beside the session.
    var keepsAudio = false

    init() {}
}

extension LiveOptions {
    /// The engine's options.
    var streaming: StreamingOptions {
        var options = StreamingOptions()
        options.policy = commit
        options.step = step
        if !usesContext { options.contextCharacters = 0 }
        options.filtersPhrases = filtersPhrases
        options.isDeterministic = isDeterministic
        options.showsUnsaved = showsUnsaved
        options.language = language?.code
        options.transcription.decoding.task = task
        return options
    }
}
