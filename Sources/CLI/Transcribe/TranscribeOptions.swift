import WhisperEngine

/// All options of `transcribe`, with openai-whisper's defaults unless its help says otherwise.
struct TranscribeOptions: ModelOptions, OutputOptions, SubtitleLayout {
    enum Verbosity: Sendable {
        case quiet, normal, verbose
    }

    var given: Set<String> = []

    // Model
    var model: FilePath?
    var modelFolder: FilePath?
    /// `nil` asks the model.
    var language: Language?
    var listsLanguages = false
    var compute = ComputeOptions()

    // Audio
    /// Samples have no header and are laid out so.
    var raw: RawFormat?
    /// Counted from 1 among the sound tracks.
    var track: Int?
    /// Seconds left out at the start.
    var offset: Double?
    /// Seconds to recognize; `nil` is all.
    var duration: Double?

    var vad = VoiceActivityChoice.Options()

    // Decoding, where the engine has no place of its own for the option
    var temperature = 0.0
    /// `nil` and 0 are no fallback.
    var temperatureIncrement: Double? = 0.2
    /// 1 takes the best token each time.
    var beamSize: Int? = 5
    var bestOf: Int? = 5
    var seed = 0
    /// The engine's options; what is not listed here is set in it directly.
    var engine = TranscriptionOptions()

    // Output
    /// Empty writes no files, unless a folder is given.
    var formats: [OutputFormat] = []
    var folder: FilePath?
    var subtitles = SubtitleOptions()
    var showsTimestamps = true
    var skipsExisting = false
    var printsColors = false
    var color = ColorChoice.auto
    var verbosity = Verbosity.normal
    var showsProgress = true

    // openai-whisper's
    var halfPrecision = false

    init() {}
}

extension TranscribeOptions {
    /// Files are written beside the text on standard output.
    var writesFiles: Bool { !formats.isEmpty || folder != nil }

    /// The text goes to standard output.
    var printsText: Bool { verbosity != .quiet || !writesFiles }

    /// The formats to write: openai-whisper's five where only a folder is given.
    var writtenFormats: [OutputFormat] {
        formats.isEmpty && folder != nil ? [.txt, .vtt, .srt, .tsv, .json] : formats
    }

    /// Several windows are decoded side by side because it was asked for.
    var isBatched: Bool { (engine.batchSize ?? 1) > 1 }

    /// Silence is left out: asked for, or needed to find the windows of a batch.
    var findsSpeech: Bool { vad.isOn || isBatched && engine.clipTimestamps.isEmpty }

    /// The engine's options.
    var transcription: TranscriptionOptions {
        var options = engine
        options.temperatures = Self.temperatures(from: temperature, increment: temperatureIncrement)
        options.decoding.language = language?.code
        // The reference's beam search with one beam differs from its greedy search in nothing but time.
        options.decoding.beamSize = beamSize == 1 ? nil : beamSize
        options.decoding.bestOf = bestOf
        options.decoding.seed = UInt64(seed)
        if isBatched { options.conditionOnPreviousText = false }
        if printsColors { options.wordTimestamps = true }
        options.offset = offset ?? 0
        options.duration = duration
        return options
    }

    /// What openai-whisper's `numpy.arange(temperature, 1 + 1e-6, increment)` gives, digit for digit: 0, 0.2, 0.4,
    /// 0.6000000000000001, 0.8, 1.
    static func temperatures(from first: Double, increment: Double?) -> [Double] {
        guard let increment, increment > 0 else { return [first] }
        let count = max(1, Int(((1 + 1e-6 - first) / increment).rounded(.up)))
        let step = (first + increment) - first
        return (0..<count).map { first + Double($0) * step }
    }
}
