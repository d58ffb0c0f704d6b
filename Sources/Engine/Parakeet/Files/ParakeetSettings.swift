import EngineBasics
import EngineWeights

/// The settings in the JSON files of a Hugging Face folder.
enum ParakeetSettings {
    static let name = "config.json"

    /// The `model_type` of a folder; `nil` if it has no settings.
    static func modelType(of folder: FilePath) -> String? {
        (try? JSONFile.read(folder.appending(name)))?["model_type"]?.string
    }

    /// Whether a folder has the settings of NVIDIA's NeMo instead, as models for MLX do.
    static func isNeMo(_ folder: FilePath) -> Bool {
        (try? JSONFile.read(folder.appending(name)))?["target"]?.string?.hasPrefix("nemo.") ?? false
    }

    private static var names: [PartialKeyPath<ParakeetDimensions>: String] {
        [
            \.bands: "num_mel_bins", \.layers: "num_hidden_layers", \.width: "hidden_size",
            \.heads: "num_attention_heads", \.feedForward: "intermediate_size", \.channels: "subsampling_conv_channels",
            \.taps: "conv_kernel_size", \.vocabulary: "vocab_size", \.prediction: "decoder_hidden_size",
            \.predictionLayers: "num_decoder_layers", \.maxSymbols: "max_symbols_per_step",
        ]
    }

    /// Reads `config.json`.
    static func dimensions(_ path: FilePath) throws(ModelError) -> ParakeetDimensions {
        let value = try JSONFile.read(path)
        let head = try head(value, path: path), isCTC = head == .ctc
        guard let encoder = value["encoder_config"], case .object = encoder else {
            throw .badContents(path: path, problem: "has no encoder_config")
        }
        func number(_ settings: JSONValue, _ key: String, default other: Int? = nil) throws(ModelError) -> Int {
            guard let found = settings[key] ?? other.map({ .number("\($0)") }) else {
                throw .badSetting(path: path, key: key, found: "missing", expected: "a number")
            }
            guard let count = found.count else {
                throw .badSetting(path: path, key: key, found: found.shown, expected: "a number")
            }
            return count
        }
        func flag(_ key: String) throws(ModelError) -> Bool {
            switch encoder[key] ?? .bool(true) {
            case .bool(let value): return value
            case let found: throw .badSetting(path: path, key: key, found: found.shown, expected: "true or false")
            }
        }
        let choices = try number(value, "vocab_size"), blankKey = isCTC ? "pad_token_id" : "blank_token_id"
        let dimensions = ParakeetDimensions(
            head: head, bands: try number(encoder, "num_mel_bins", default: 80),
            layers: try number(encoder, "num_hidden_layers"), width: try number(encoder, "hidden_size"),
            heads: try number(encoder, "num_attention_heads"), feedForward: try number(encoder, "intermediate_size"),
            channels: try number(encoder, "subsampling_conv_channels"), taps: try number(encoder, "conv_kernel_size"),
            hasLinearBias: try flag("attention_bias"), hasConvolutionBias: try flag("convolution_bias"),
            scalesInput: try flag("scale_input"), vocabulary: choices - 1,
            prediction: isCTC ? 0 : try number(value, "decoder_hidden_size"),
            predictionLayers: isCTC ? 0 : try number(value, "num_decoder_layers"),
            maxSymbols: isCTC ? 0 : try number(value, "max_symbols_per_step", default: 10),
            streaming: value["model_type"]?.string?.hasPrefix("nemotron") == true
                ? try streaming(value, encoder: encoder, path: path) : nil)
        try dimensions.check(path: path, names: names)
        try check(
            encoder,
            [
                ("hidden_act", .string("silu")), ("subsampling_factor", .number("8")),
                ("subsampling_conv_kernel_size", .number("3")), ("subsampling_conv_stride", .number("2")),
                ("num_key_value_heads", .number("\(dimensions.heads)")),
            ], path: path)
        try check(
            value, [(blankKey, .number("\(dimensions.blank)")), ("hidden_act", .string("relu"))], path: path)
        return dimensions
    }

    private static func head(_ value: JSONValue, path: FilePath) throws(ModelError) -> ParakeetHead {
        switch value["model_type"]?.string {
        case "parakeet_ctc": return .ctc
        case "parakeet_rnnt", "nemotron_asr_streaming", "nemotron3_5_asr": return .rnnt
        case "parakeet_tdt":
            guard let durations = value["durations"]?.counts else {
                throw .badSetting(
                    path: path, key: "durations", found: value["durations"]?.shown ?? "missing",
                    expected: "a list of numbers")
            }
            return .tdt(durations: durations)
        case let type:
            throw .anotherFormat(
                path: path.folder,
                looksLike: "a folder with a Hugging Face model of type \(ShellQuoting.shown(type ?? "unknown"))",
                instead: ParakeetFormats.another)
        }
    }

    /// Checks that the audio settings, if present, describe the features that this program computes.
    static func checkAudio(in folder: FilePath, bands: Int) throws(ModelError) {
        for name in ["processor_config.json", "preprocessor_config.json"] {
            let path = folder.appending(name)
            guard let settings = try JSONFile.readIfPresent(path) else { continue }
            let features = settings["feature_extractor"] ?? settings
            guard case .object = features else {
                throw .badContents(path: path, problem: "has \(features.shown) in place of the settings of features")
            }
            try check(
                features,
                [
                    ("feature_size", .number("\(bands)")), ("sampling_rate", .number("16000")),
                    ("hop_length", .number("160")), ("n_fft", .number("512")), ("win_length", .number("400")),
                    ("preemphasis", .number("0.97")), ("mel_filters_dtype", .string("float32")),
                ], path: path)
        }
    }

    /// Checks settings that all models have in common; they may be missing.
    private static func check(
        _ settings: JSONValue, _ expected: [(key: String, value: JSONValue)], path: FilePath
    ) throws(ModelError) {
        for (key, value) in expected {
            guard let found = settings[key], found != .null, found != value else { continue }
            throw .badSetting(path: path, key: key, found: found.shown, expected: value.shown)
        }
    }
}
