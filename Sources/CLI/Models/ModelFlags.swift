import WhisperEngine

/// Options of a command that computes with a model.
protocol ModelOptions: OptionValues {
    /// Path or name as given; `nil` is `$WHISPER_LOCAL_MODEL`, else `nano.en`.
    var model: FilePath? { get set }
    /// Searched before all other folders.
    var modelFolder: FilePath? { get set }
    var compute: ComputeOptions { get set }
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
