import WhisperEngine

/// The options that `live` and `dictate` share.
struct ListeningOptions: SpokenOptions {
    var given: Set<String> = []

    // Model
    var model: FilePath?
    var modelFolder: FilePath?
    var spoken = SpokenLanguages()
    var task = TranscriptionTask.transcribe
    var compute = ComputeOptions()

    // Audio
    /// The microphone's ALSA name; `nil` uses `$WHISPER_LOCAL_DEVICE`, else the system default.
    var device: String?
    var listsDevices = false
    /// A recording to play in real time instead of using a microphone.
    var file: FilePath?
    /// The layout of headerless samples; `nil` if the audio has a header.
    var raw: RawFormat?

    // Listening
    var detector = LiveDetectorChoice.auto
    /// When off, all audio counts as speech.
    var detectsSpeech = true
    var usesContext = true
    var filtersPhrases = true
    var vocabulary = VocabularyChoice()

    // Output
    /// The name of the session to save final text in.
    var session: String?
    var color = ColorChoice.auto
    var verbosity = Verbosity.normal
}

/// The options of a command that listens.
protocol ListeningCommandOptions: OptionValues {
    var listening: ListeningOptions { get set }
}

extension ListeningCommandOptions {
    var given: Set<String> {
        get { listening.given }
        set { listening.given = newValue }
    }
}

extension ListeningOptions {
    /// The engine's options, as far as these set them.
    var streaming: StreamingOptions {
        var options = StreamingOptions()
        if !usesContext { options.carriedAudio = 0 }
        options.filtersPhrases = filtersPhrases
        spoken.apply(to: &options.transcription, given)
        options.transcription.task = task
        options.transcription.add(vocabulary.all)
        return options
    }

    /// Rejects shared options that cannot be combined.
    func checkCombinations() throws(UsageError) {
        try Verbosity.check(given)
        try spoken.check(given)
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
