package import WhisperEngine

/// The values of all options of `transcribe`. The options themselves are declared in `TranscribeCommand+…Flags.swift`: `Audio`
/// (also speech detection), `Decoding`, `Speaker` and `Output` (also words, archives and compatibility); those for model,
/// language, computation and presets are in `CLI/Options`.
///
/// `TranscribeChecks` finds contradictions. What changes the text belongs in `Provenance`, or else `--skip-existing` keeps
/// old results; a property of the engine's options in `OptionsText` and its tests, and `DecodingOptions` validates its own.
package struct TranscribeOptions: SpokenOptions, PresetOptions, OutputOptions, SubtitleLayout {
    /// How several channels are transcribed.
    enum Channels: String, CaseIterable, Sendable {
        /// Together, mixed to mono.
        case mix
        /// Separately, each as a speaker.
        case split
    }

    package var given: Set<String> = []

    // Model
    var model: FilePath?
    var modelFolder: FilePath?
    var spoken = SpokenLanguages()
    var compute = ComputeOptions()

    // Audio
    /// The format of headerless samples; `nil` reads it from the file.
    var raw: RawFormat?
    /// Number of the audio track, from 1.
    var track: Int?
    var channels = Channels.mix
    var speakers = SpeakerChoice.Options()
    /// What the times count from, unless the preset says so.
    var clock = AudioOptions.Clock.file
    /// Seconds to skip at the start.
    var offset: Double?

    var vad = VoiceActivityChoice.Options()

    var preset = Preset.standard
    var vocabulary = VocabularyChoice()
    // Decoding, where an option does not correspond to a single field of the engine
    var temperature = 0.0
    /// `nil` and 0 turn the fallback off.
    var temperatureIncrement: Double? = 0.2
    var seed = 0
    /// The engine's options; those not listed above are set here directly.
    var engine = TranscriptionOptions()

    // Output
    /// An empty list writes no files, unless a folder is given.
    var formats: [OutputFormat] = []
    var folder: FilePath?
    /// Whether files are written to the folders of their recordings.
    var isBeside = false
    /// Whether text files have paragraphs.
    var hasParagraphs = false
    var subtitles = SubtitleOptions()
    var showsTimestamps = true
    var skipsExisting = false
    var printsColors = false
    var color = ColorChoice.auto
    var verbosity = Verbosity.normal
    var showsProgress = true

    // Archives
    /// A list of recordings; `-` is standard input.
    var filesFrom: FilePath?
    var listHasZeros = false
    /// The part of the list to transcribe; `nil` is all of it.
    var shard: Shard?
    /// A file to which a line is added for each input.
    var report: FilePath?

    // Compatibility with openai-whisper
    var halfPrecision = false
    /// `nil` unless this program was started under the name of another.
    var manner: Manner?

    package init() {}
}

extension TranscribeOptions {
    var task: TranscriptionTask {
        get { engine.task }
        set { engine.task = newValue }
    }

    /// As in openai-whisper, `None` is greedy search, not the default.
    var beamSize: Int? {
        get { engine.beamSize }
        set { engine.beamSize = newValue ?? 1 }
    }

    var guards: Bool? {
        get { engine.guards }
        set { engine.guards = newValue }
    }

    /// What the times count from: openai-whisper's from the first sample.
    var audioClock: AudioOptions.Clock {
        preset == .openAIWhisper && !given.contains("--clock") ? .audio : clock
    }

    /// Whether files are written.
    var writesFiles: Bool { !formats.isEmpty || hasFolder }

    /// Whether it is said where files are written.
    private var hasFolder: Bool { folder != nil || isBeside }

    /// Whether the text is printed on standard output.
    var printsText: Bool { verbosity != .quiet || !writesFiles || manner?.isWhisperCpp == true }

    /// The formats to write: openai-whisper's five if only a folder is given.
    var writtenFormats: [OutputFormat] {
        formats.isEmpty && hasFolder ? [.txt, .vtt, .srt, .tsv, .json] : formats
    }

    /// How the subtitles are written.
    var shapedSubtitles: SubtitleOptions {
        var shaped = subtitles
        if preset == .openAIWhisper { shaped.style = shaped.style ?? .whisper }
        if task == .translate { shaped.language = "en" }
        return shaped
    }

    /// Whether subtitles are written that are divided between words.
    var timesSubtitleWords: Bool {
        subtitles.hasWhisperOptions && !Set(writtenFormats).isDisjoint(with: [.srt, .vtt, .ass])
    }

    /// Whether decoding several windows in parallel was requested.
    var isBatched: Bool { (engine.batchSize ?? 1) > 1 }

    /// Whether silence is skipped, because it was requested or to find the windows of a batch.
    var findsSpeech: Bool { vad.isOn || isBatched && engine.clipTimestamps.isEmpty }

    /// The engine's options for a transcription.
    package var transcription: TranscriptionOptions {
        var options = engine
        options.whisper.temperatures = Self.temperatures(from: temperature, increment: temperatureIncrement)
        spoken.apply(to: &options, given)
        options.add(vocabulary.all)
        options.whisper.decoding.seed = UInt64(seed)
        if isBatched { options.whisper.conditionOnPreviousText = false }
        if printsColors || speakers.isOn || timesSubtitleWords { options.timeWords() }
        options.offset = offset ?? 0
        return options
    }

    /// What `transcription.whisper` would be if the user had set nothing that only Whisper has.
    var whisperDefaults: WhisperOptions {
        var options = TranscribeOptions()
        (options.engine.batchSize, options.engine.wordTimestamps) = (engine.batchSize, engine.wordTimestamps)
        (options.printsColors, options.speakers) = (printsColors, speakers)
        (options.subtitles, options.formats, options.folder, options.isBeside) = (subtitles, formats, folder, isBeside)
        return options.transcription.whisper
    }

    /// Computes openai-whisper's `numpy.arange(temperature, 1 + 1e-6, increment)` digit for digit: 0, 0.2, 0.4,
    /// 0.6000000000000001, 0.8, 1.
    static func temperatures(from first: Double, increment: Double?) -> [Double] {
        guard let increment, increment > 0 else { return [first] }
        let count = max(1, Int(((1 + 1e-6 - first) / increment).rounded(.up)))
        let step = (first + increment) - first
        return (0..<count).map { first + Double($0) * step }
    }
}
