import EngineBasics
import EngineWeights

/// The settings of a model of NVIDIA's NeMo, which are in its `.nemo` file as `model_config.yaml`.
struct NeMoSettings {
    static let name = "model_config.yaml"
    /// Real ones have up to 300 kB, most of which is the vocabulary.
    private static let maxBytes = 4 << 20
    private static let maxDepth = 32
    private static let maxMembers = 100_000

    /// By names such as `encoder.d_model`.
    private let settings: NamedSettings

    /// - Parameter file: the YAML text.
    init(_ file: ReadOnlyFile) throws(ModelError) {
        func bad(_ problem: String) -> ModelError {
            .badContents(path: file.path, problem: "has a \(Self.name) that \(problem)")
        }
        guard file.count <= Self.maxBytes else { throw bad("has \(file.count) bytes") }
        let text: [UInt8], root: JSONValue
        do throws(FileError) {
            text = try file.bytes(0..<file.count)
        } catch { throw ModelError(error, path: file.path) }
        do throws(JSONValue.Problem) {
            root = try JSONValue(yaml: text, depth: Self.maxDepth, members: Self.maxMembers)
        } catch {
            throw bad("\(error.what) in line \(text.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1)")
        }
        settings = NamedSettings(path: file.path) { name in
            name.split(separator: ".").reduce(root) { value, part in value?[String(part)] }
        }
    }

    /// The file name of the SentencePiece model, if it is named.
    var tokenizer: String? {
        guard let name = settings.given("tokenizer.model_path")?.string, name.hasPrefix("nemo:") else { return nil }
        return String(name.dropFirst(5))
    }

    /// The sizes of the network.
    ///
    /// - Parameter vocabulary: the number of pieces of the tokenizer.
    func dimensions(vocabulary: Int) throws(ModelError) -> ParakeetDimensions {
        guard settings.given("encoder._target_")?.string?.hasSuffix(".ConformerEncoder") ?? false else {
            throw refusal("a NeMo model of another architecture")
        }
        let head = try head()
        var dimensions = ParakeetDimensions(
            head: head, hasBias: try settings.flag("encoder.use_bias", or: true),
            scalesInput: try settings.flag("encoder.xscaling", or: true))
        dimensions.vocabulary = vocabulary
        // Factors that are too large for a product are too large for a model.
        let width = try settings.number("encoder.d_model"),
            factor = try settings.number("encoder.ff_expansion_factor", or: 4)
        dimensions.feedForward = min(width, 1 << 20) * min(factor, 1 << 20)
        if head != .ctc {
            dimensions.prediction = try settings.number("decoder.prednet.pred_hidden")
            dimensions.predictionLayers = try settings.number("decoder.prednet.pred_rnn_layers")
            dimensions.maxSymbols = try settings.number("decoding.greedy.max_symbols", or: 10)
        }
        try settings.read(
            [
                \.bands: "encoder.feat_in", \.layers: "encoder.n_layers", \.width: "encoder.d_model",
                \.heads: "encoder.n_heads", \.channels: "encoder.subsampling_conv_channels",
                \.taps: "encoder.conv_kernel_size",
            ], into: &dimensions)
        dimensions.streaming = try streaming(width: dimensions.width)
        let isStreaming = dimensions.streaming != nil
        try settings.check([
            "encoder.subsampling": .string("dw_striding"), "encoder.subsampling_factor": .number("8"),
            "encoder.self_attention_model": .string("rel_pos"), "encoder.untie_biases": .bool(true),
            "encoder.causal_downsampling": .bool(isStreaming), "encoder.feat_out": .number("-1"),
            "encoder.conv_norm_type": .string(isStreaming ? "layer_norm" : "batch_norm"),
            "preprocessor.sample_rate": .number("16000"), "preprocessor.features": .number("\(dimensions.bands)"),
            "preprocessor.n_fft": .number("512"), "preprocessor.window_size": .number("0.025"),
            "preprocessor.window_stride": .number("0.01"), "preprocessor.window": .string("hann"),
            "preprocessor.normalize": .string(isStreaming ? "NA" : "per_feature"),
            "preprocessor.preemph": .number("0.97"),
            "preprocessor.frame_splicing": .number("1"), "preprocessor.log": .bool(true),
            "joint.jointnet.activation": .string("relu"),
        ])
        return dimensions
    }

    /// What the settings of a model for live audio say about it; `nil` for others.
    private func streaming(width: Int) throws(ModelError) -> StreamingDimensions? {
        let style = "encoder.att_context_style", name = "encoder.att_context_size"
        guard settings.given(style) == .string("chunked_limited") else {
            try settings.check([
                style: .string("regular"), name: .array([.number("-1"), .number("-1")]),
            ])
            return nil
        }
        try settings.check(["encoder.conv_context_size": .string("causal")])
        let given = settings.given(name)
        // One pair or several: frames before, and frames after.
        var pairs = [given?.counts ?? []]
        if case .array(let several)? = given, pairs[0].isEmpty { pairs = several.map { $0.counts ?? [] } }
        guard let left = pairs.first?.first, StreamingDimensions.contexts.contains(left),
            pairs.allSatisfy({ $0.count == 2 && $0[0] == left && StreamingDimensions.lookaheadRange.contains($0[1]) })
        else { throw settings.bad(name, expected: "pairs of frames with one left context below 1000") }
        return try StreamingDimensions(
            leftContext: left, lookaheads: Set(pairs.map { $0[1] }), promptCount: "model_defaults.num_prompts",
            promptNumbers: "model_defaults.prompt_dictionary", width: width, settings: settings)
    }

    private func head() throws(ModelError) -> ParakeetHead {
        guard settings.given("joint") != nil else { return .ctc }
        let extra = try settings.number("joint.num_extra_outputs", or: 0)
        if extra == 0 { return .rnnt }
        let names = ["decoding.durations", "model_defaults.tdt_durations"]
        let name = names.first { settings.given($0) != nil } ?? names[0], durations = try settings.counts(name)
        guard durations.count == extra else { throw settings.bad(name, expected: "a list of \(extra) numbers") }
        return .tdt(durations: durations)
    }

    private func refusal(_ looksLike: String) -> ModelError {
        .anotherFormat(path: settings.path, looksLike: looksLike, instead: ParakeetFormats.another)
    }
}
