import WhisperEngine

/// The options of a command that loads a model.
protocol ModelOptions: OptionValues {
    /// Path or name as given; if `nil`, `ModelChoice` decides.
    var model: FilePath? { get set }
    /// Searched before all other folders.
    var modelFolder: FilePath? { get set }
    var compute: ComputeOptions { get set }
}

/// The options of a command that recognizes speech.
protocol SpokenOptions: ModelOptions {
    var spoken: SpokenLanguages { get set }
    var task: TranscriptionTask { get set }
}

/// Options that choose a model, the language and how to compute.
enum ModelFlags {
    /// The number of beams for recordings depends on the family.
    static let defaultBeams = "5, or 1 with Parakeet"

    static func weights<Options: ModelOptions>() -> [Flag<Options>] {
        [
            .path(
                "--model", "-m", "NAME|PATH", in: .model, "model to use, by name or path", example: "tiny.en",
                defaultValue:
                    "$WHISPER_LOCAL_MODEL, or the first of tiny.en, Parakeet, nano.en that is installed; "
                    + "transcribe prefers Parakeet", offers: .models, sets: \.model
            ),
            folder(sets: \.modelFolder),
        ]
    }

    static func folder<Options: OptionValues>(
        _ help: String = "search this folder first for models given by name", sets path: Path<Options, FilePath?>
    ) -> Flag<Options> {
        .path("--model-dir", nil, "DIR", in: .model, help, example: "models", offers: .folders, sets: path)
    }

    static func spoken<Options: SpokenOptions>() -> [Flag<Options>] {
        [
            SpokenLanguages.flag(sets: \.spoken),
            SpokenLanguages.listFlag(sets: \.spoken.possible),
            .boolean(
                "--multilingual", in: .model, "detect the language again in each window, or live in each utterance",
                sets: \.spoken.isMixed),
            .choice("--task", in: .model, "transcribe the speech, or translate it to English", sets: \.task),
            .toggle(
                "--translate", in: .model, "translate the speech to English (--task translate)", sets: \.task,
                to: .translate),
        ]
    }

    /// How long a model that is not used stays in memory, in seconds; `nil` for ever.
    static func unloadAfter<Options: OptionValues>(
        _ help: String, in group: FlagGroup, defaultValue: String, sets path: Path<Options, Double?>
    ) -> Flag<Options> {
        let name = "--unload-after"
        let entry = FlagEntry(
            name: name, group: group, shape: .value, placeholder: "TIME|off", help: help, defaultValue: defaultValue,
            example: "5m")
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try idleTime(value, of: name)
        }
    }

    /// - Parameter name: of the option or variable that has this value.
    static func idleTime(_ value: [UInt8], of name: String) throws(UsageError) -> Double? {
        if value.elementsEqual("off".utf8) { return nil }
        let units: [UInt8: Double] = [UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600]
        let unit = value.last.flatMap { units[$0] }
        guard let time = TimeSyntax.seconds(unit == nil ? value : Array(value.dropLast())) else {
            throw .badValue(option: name, value: value, wanted: "a time, such as 30s, 5m or 1h, or off")
        }
        return time * (unit ?? 1)
    }

    /// How much of each window the encoder computes.
    static func audioContext<Options: OptionValues>(
        set: @escaping @Sendable (inout Options, AudioContext) -> Void
    ) -> Flag<Options> {
        let name = "--audio-ctx"
        let entry = FlagEntry(
            name: name, group: .audio, shape: .value, placeholder: "auto|full|N",
            help: "audio positions (20 ms each) that the encoder computes per window: full is all 1500, auto those "
                + "with audio plus a margin (faster for short recordings); N, 1 to 1500, also shortens the "
                + "windows to match",
            defaultValue: "full", example: "auto", completion: .words(["auto", "full"]))
        return Flag(entry) { (value, options) throws(UsageError) in
            switch String(decoding: value, as: UTF8.self) {
            case "auto": set(&options, .auto)
            case "full": set(&options, .full)
            default:
                guard let count = ValueSyntax.integer(value), (1...1500).contains(count) else {
                    throw .badValue(option: name, value: value, wanted: "auto, full or 1 to 1500")
                }
                set(&options, .positions(count))
            }
        }
    }

    static func compute<Options: ModelOptions>() -> [Flag<Options>] {
        [
            .choice(
                "--compute-type", in: .model, "number format to compute in", sets: \.compute.computeType),
            .choice("--backend", in: .model, "library for matrix multiplication", sets: \.compute.backend),
            threads(sets: \.compute.threads),
            packedWeights(),
        ]
    }

    static func threads<Options: OptionValues>(sets path: Path<Options, Int?>) -> Flag<Options> {
        .optionalInteger(
            "--threads", "-t", in: .model, "number of threads", range: 1...1024, noneAllowed: false,
            defaultValue: "one per core", sets: path)
    }

    private static func packedWeights<Options: ModelOptions>() -> Flag<Options> {
        let entry = FlagEntry(
            name: "--packed-weights", group: .model, shape: .value, placeholder: "DIR|none",
            help: "processes that load the same model share its memory through a file in this folder, which must be on "
                + "this machine",
            defaultValue: "none", example: "/var/tmp/packed", completion: .folders)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard !value.isEmpty, !value.contains(0) else {
                throw .badValue(option: "--packed-weights", value: value, wanted: "a folder or none")
            }
            options.compute.packedWeights = ValueSyntax.isNone(value) ? nil : FilePath(bytes: value)
        }
    }
}
