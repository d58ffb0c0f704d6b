package import EngineBasics
import EngineModels
package import EngineWeights

/// A model in NVIDIA's GGUF layout, as its program NeMo-Speech.cpp reads it.
package struct ParakeetGGUFFile: ParakeetFile {
    package var path: FilePath { file.path }
    package let dimensions: ParakeetDimensions
    package let vocabulary: ParakeetVocabulary
    package let tensors: [String: WeightTensor]
    package let featureTables: [ParakeetFeatures.Table: WeightTensor]
    package var format: String { "GGUF" }
    private let file: GGUFFile

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        file = try GGUFFile(path)
        let settings = GGUFSettings(file)
        dimensions = try settings.dimensions()
        vocabulary = try settings.vocabulary(size: dimensions.vocabulary)
        tensors = try ParakeetShapes.tensors(
            dimensions, .pyTorch, from: file, name: NeMoNames.gguf, isSpare: NeMoNames.isSpare)
        featureTables = try file.featureTables([.filters: "preprocessor.fb"], bands: dimensions.bands)
    }
}

/// The settings of a recognizer in NVIDIA's GGUF layout.
private struct GGUFSettings {
    private let settings: NamedSettings

    init(_ file: GGUFFile) { settings = NamedSettings(path: file.path) { file.settings[$0] } }

    func dimensions() throws(ModelError) -> ParakeetDimensions {
        let architecture = settings.value(GGUFFile.architecture)?.string ?? "unknown"
        guard architecture == "asr" else {
            throw refusal("a GGUF file of the architecture \(ShellQuoting.shown(architecture, limit: 40))")
        }
        let layouts = ["asr.encoder.q8_layout", "asr.encoder.qkv_q8_layout"].compactMap { settings.value($0)?.string }
        if let layout = layouts.first(where: { $0 != "block_q8_0" }) {
            throw refusal("a GGUF file in the layout \(ShellQuoting.shown(layout, limit: 40)) for GPUs")
        }
        let head = try head()
        var dimensions = ParakeetDimensions(
            head: head, hasBias: try settings.flag("asr.encoder.use_bias"),
            scalesInput: try settings.flag("asr.encoder.xscaling"))
        // The blank follows the pieces.
        dimensions.vocabulary = try settings.number(head == .ctc ? "asr.ctc.blank_id" : "asr.rnnt.blank_id")
        if head != .ctc {
            dimensions.prediction = try settings.number("asr.rnnt.pred_hidden")
            dimensions.predictionLayers = try settings.number("asr.rnnt.pred_num_layers")
            dimensions.maxSymbols = try settings.number("asr.rnnt.max_symbols_per_step")
        }
        try settings.read(
            [
                \.bands: "asr.encoder.feat_in", \.layers: "asr.encoder.n_layers", \.width: "asr.encoder.d_model",
                \.heads: "asr.encoder.n_heads", \.feedForward: "asr.encoder.d_ff",
                \.channels: "asr.encoder.subsampling_conv_channels", \.taps: "asr.encoder.conv_kernel_size",
            ], into: &dimensions)
        dimensions.streaming = try streaming(width: dimensions.width)
        let isStreaming = dimensions.streaming != nil
        try settings.check([
            "asr.encoder.conv_norm": .string(isStreaming ? "layer_norm" : "batch_norm"),
            "asr.encoder.subsampling_factor": .number("8"), "asr.preprocessor.sample_rate": .number("16000"),
            "asr.preprocessor.features": .number("\(dimensions.bands)"), "asr.preprocessor.n_fft": .number("512"),
            "asr.preprocessor.window_size": .number("0.025"), "asr.preprocessor.window_stride": .number("0.01"),
            "asr.preprocessor.normalize": .string(isStreaming ? "NA" : "per_feature"),
            "asr.preprocessor.preemph": .number("0.97"),
            "asr.preprocessor.hann_periodic": .bool(false), "asr.preprocessor.stft_center_window": .bool(true),
        ])
        return dimensions
    }

    /// What the settings of a model for live audio say about it; `nil` for others.
    private func streaming(width: Int) throws(ModelError) -> StreamingDimensions? {
        let style = "asr.encoder.att_context_style"
        guard settings.given(style) == .string("chunked_limited") else {
            try settings.check([style: .string("regular")])
            return nil
        }
        let longest = try settings.number("asr.encoder.train_right_ctx", in: StreamingDimensions.lookaheadRange)
        // The file only has the longest look-ahead. These are the others of all models that NVIDIA has published.
        return try StreamingDimensions(
            leftContext: try settings.number("asr.encoder.train_left_ctx", in: StreamingDimensions.contexts),
            lookaheads: Set([0, 6, longest].filter { $0 <= longest }), promptCount: "asr.rnnt.num_prompts",
            promptNumbers: "asr.rnnt.prompt_dictionary", width: width, settings: settings)
    }

    private func head() throws(ModelError) -> ParakeetHead {
        let name = "asr.head_type"
        switch settings.value(name)?.string {
        case "ctc": return .ctc
        case "rnnt": return .rnnt
        case "tdt": return .tdt(durations: try settings.counts("asr.tdt.durations"))
        default: throw settings.bad(name, expected: "ctc, rnnt or tdt")
        }
    }

    func vocabulary(size: Int) throws(ModelError) -> ParakeetVocabulary {
        let name = "asr.tokenizer.vocab"
        guard case .array(let values)? = settings.value(name), values.count == size else {
            throw settings.bad(name, expected: "a list of \(size) pieces")
        }
        let pieces = values.compactMap(\.string)
        guard pieces.count == size else { throw settings.bad(name, expected: "a list of texts") }
        return ParakeetVocabulary(pieces)
    }

    private func refusal(_ looksLike: String) -> ModelError {
        .anotherFormat(path: settings.path, looksLike: looksLike, instead: ParakeetFormats.another)
    }
}
