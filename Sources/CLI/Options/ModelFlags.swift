import WhisperEngine

/// Options of a command that computes with a model.
protocol ModelOptions: OptionValues {
    /// Path or name as given; `nil` is `$WHISPER_LOCAL_MODEL`, else `nano.en`.
    var model: FilePath? { get set }
    /// Searched before all other folders.
    var modelFolder: FilePath? { get set }
    var compute: ComputeOptions { get set }
}

/// Options of a command that writes down speech.
protocol SpokenOptions: ModelOptions {
    /// `nil` asks the model.
    var language: Language? { get set }
    var listsLanguages: Bool { get set }
    var task: TranscriptionTask { get set }
}

/// The options that all such commands share.
enum ModelFlags {
    static func weights<Options: ModelOptions>() -> [Flag<Options>] {
        [
            .path(
                "--model", "-m", "NAME|PATH", in: .model, "weights, by name or path", example: "nano.en",
                standard: "$WHISPER_LOCAL_MODEL, else nano.en", offers: .files, sets: \.model),
            .path(
                "--model-dir", nil, "DIR", in: .model, "look for named weights here first", example: "models",
                offers: .folders, sets: \.modelFolder),
        ]
    }

    static func spoken<Options: SpokenOptions>() -> [Flag<Options>] {
        [
            language(),
            .choice("--task", in: .model, "write down what is said, or its English translation", sets: \.task),
            .toggle("--translate", in: .model, "same as --task translate", sets: \.task, to: .translate),
        ]
    }

    private static func language<Options: SpokenOptions>() -> Flag<Options> {
        let entry = FlagEntry(
            name: "--language", short: "-l", group: .model, shape: .value, placeholder: "NAME|CODE|auto",
            help: "language spoken; `auto` asks the model, `help` lists all", standard: "auto", example: "en",
            completion: .words(["auto", "help"] + Language.all.map(\.code)))
        return Flag(entry) { (value, options) throws(UsageError) in
            let text = try TextSyntax.utf8(value, option: "--language")
            options.listsLanguages = text == "help"
            if text == "help" || text == "auto" || BooleanSyntax.isNone(value) {
                options.language = nil
                return
            }
            do {
                options.language = try Language(text)
            } catch {
                throw .unknownLanguage(text, nearest: Language.nearest(to: text))
            }
        }
    }

    static func compute<Options: ModelOptions>() -> [Flag<Options>] {
        [
            .choice("--compute-type", in: .model, "arithmetic of the network", sets: \.compute.computeType),
            .choice("--backend", in: .model, "library that multiplies matrices", sets: \.compute.backend),
            .optionalInteger(
                "--threads", "-t", in: .model, "threads to compute with", range: 1...1024, noneAllowed: false,
                standard: "one per core", sets: \.compute.threads),
        ]
    }
}
