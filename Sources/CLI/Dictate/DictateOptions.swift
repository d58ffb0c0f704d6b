import WhisperEngine

/// All options of `dictate`.
struct DictateOptions: ListeningOptions {
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
    var file: FilePath?
    var raw: RawFormat?
    /// Between two presses the microphone is not held.
    var closesDevice = false

    // Listening
    var detector = DetectorChoice.energy
    var takesAllSound = false
    var usesContext = true
    var filtersPhrases = true

    // Talking
    var toggles = false
    var ringsBell = false
    var processFile: FilePath?

    // Delivery
    var copies = false
    /// A program and its arguments.
    var command: [String] = []
    var appendsSpace = false
    var color = ColorChoice.auto
    var verbosity = TranscribeOptions.Verbosity.normal
    var session: String?

    init() {}

    /// The engine's options.
    var streaming: StreamingOptions {
        var options = StreamingOptions()
        if !usesContext { options.contextCharacters = 0 }
        options.filtersPhrases = filtersPhrases
        options.language = language?.code
        options.transcription.decoding.task = task
        return options
    }
}
