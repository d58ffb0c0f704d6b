import EngineBasics
import EngineWeights

/// `config.json` of a Hugging Face Whisper model.
struct HuggingFaceSettings {
    let dimensions: ModelDimensions
    /// Whether the output projection is a separate weight.
    let isUntied: Bool
    /// The whole file.
    let value: JSONValue

    private static let names = [
        "n_vocab": "vocab_size", "n_mels": "num_mel_bins", "n_audio_state": "d_model", "n_text_state": "d_model",
        "n_audio_layer": "encoder_layers", "n_audio_head": "encoder_attention_heads",
        "n_text_layer": "decoder_layers", "n_text_head": "decoder_attention_heads",
        "n_audio_ctx": "max_source_positions", "n_text_ctx": "max_target_positions",
    ]

    init(_ path: FilePath) throws(ModelError) {
        let value = try JSONFile.read(path)
        guard case .object = value else { throw .badContents(path: path, problem: "is not an object") }
        guard value["model_type"]?.string == "whisper" else {
            if let type = value["model_type"] {
                throw .anotherFormat(
                    path: path.folder, looksLike: "a folder with a Hugging Face model of type \(type.shown)",
                    instead: "use a Whisper model")
            }
            throw .badSetting(path: path, key: "model_type", found: "missing", expected: "'whisper'")
        }
        func number(_ keys: String...) throws(ModelError) -> Int {
            guard let found = keys.lazy.compactMap({ value[$0] }).first else {
                throw .badSetting(path: path, key: keys[0], found: "missing", expected: "a number")
            }
            guard let count = found.count else {
                throw .badSetting(path: path, key: keys[0], found: found.shown, expected: "a number")
            }
            return count
        }
        let width = try number("d_model")
        dimensions = ModelDimensions(
            nMels: try number("num_mel_bins"), nAudioCtx: try number("max_source_positions"), nAudioState: width,
            nAudioHead: try number("encoder_attention_heads"),
            nAudioLayer: try number("encoder_layers", "num_hidden_layers"), nVocab: try number("vocab_size"),
            nTextCtx: try number("max_target_positions"), nTextState: width,
            nTextHead: try number("decoder_attention_heads"), nTextLayer: try number("decoder_layers"))
        try dimensions.check(path: path, names: Self.names)
        let feedForward = JSONValue.number("\(4 * width)")
        for (key, expected) in [
            ("encoder_ffn_dim", feedForward), ("decoder_ffn_dim", feedForward),
            ("activation_function", .string("gelu")), ("scale_embedding", .bool(false)),
        ] {
            if let found = value[key], found != expected {
                throw .badSetting(path: path, key: key, found: found.shown, expected: expected.shown)
            }
        }
        isUntied = value["tie_word_embeddings"] == .bool(false)
        self.value = value
    }
}

/// What is used of `generation_config.json`, an optional file; older models have its settings in `config.json`.
struct GenerationSettings {
    let alignmentHeads: [AlignmentHead]?
    let warnings: [ModelWarning]

    /// - Throws: `ModelError.badSetting` if the token IDs are not those of Whisper's vocabularies.
    init(_ path: FilePath, older: JSONValue, olderPath: FilePath, _ d: ModelDimensions) throws(ModelError) {
        var value: JSONValue?
        var warnings: [ModelWarning] = []
        do throws(ModelError) {
            value = try JSONFile.readIfPresent(path)
            if let found = value {
                guard case .object = found else { throw .badContents(path: path, problem: "is not an object") }
            }
        } catch {
            value = nil
            warnings.append(.settingsIgnored(error))
        }
        for (settings, path) in [(value, path), (older, olderPath)] {
            if let settings { try Self.checkTokens(settings, path: path, SpecialTokens(vocabularySize: d.nVocab)) }
        }
        var heads: AlignmentHeadList?
        if let stored = value?["alignment_heads"], stored != .null {
            do throws(ModelError) {
                heads = try AlignmentHeadList(stored, path: path, d)
            } catch { warnings.append(.settingsIgnored(error)) }
        }
        alignmentHeads = heads?.heads
        self.warnings = warnings + (heads?.warnings ?? [])
    }

    private static func checkTokens(
        _ settings: JSONValue, path: FilePath, _ tokens: SpecialTokens
    ) throws(ModelError) {
        // bos_token_id and pad_token_id are not checked: published models disagree, and nothing uses them.
        var expected = [
            ("eos_token_id", tokens.endOfText), ("decoder_start_token_id", tokens.startOfTranscript),
            ("no_timestamps_token_id", tokens.noTimestamps), ("prev_sot_token_id", tokens.startOfPrevious),
        ].map { (key: $0, found: settings[$0], id: $1) }
        // English-only models contain these settings by mistake.
        if tokens.isMultilingual {
            for (key, names) in [
                ("lang_to_id", tokens.languages.map { ($0, tokens.name(of: $0) ?? "") }),
                ("task_to_id", [(tokens.transcribe, "transcribe"), (tokens.translate, "translate")]),
            ] {
                let ids = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
                guard case .object(let members)? = settings[key] else { continue }
                for member in members {
                    expected.append(
                        (
                            "\(key) \(ShellQuoting.shown(member.name))", member.value,
                            ids[SpecialTokens.formerNames[member.name] ?? member.name] ?? -1
                        ))
                }
            }
        }
        for (key, found, id) in expected {
            // Absent, null, or a list of several tokens.
            guard let found, let number = found.count, number != id else { continue }
            throw .badSetting(
                path: path, key: key, found: "\(number)",
                expected: id < 0 ? "no such token" : "\(id) for a vocabulary of \(tokens.vocabularySize)")
        }
    }
}

/// Alignment heads that a file names, without those that its decoder does not have. Distilled models have been published
/// with the heads of the model that they were made from.
struct AlignmentHeadList {
    /// `nil` if none is left.
    let heads: [AlignmentHead]?
    let warnings: [ModelWarning]

    /// - Throws: `ModelError.badSetting` if `value` is not a list of pairs.
    init(_ value: JSONValue, path: FilePath, _ d: ModelDimensions) throws(ModelError) {
        guard let all = value.alignmentHeads else {
            throw .badSetting(
                path: path, key: "alignment_heads", found: value.shown, expected: "a list of [layer, head]")
        }
        let valid = Set(all).filter { $0.layer < d.nTextLayer && $0.head < d.nTextHead }
        heads = valid.isEmpty ? nil : valid.sorted { ($0.layer, $0.head) < ($1.layer, $1.head) }
        let dropped = Set(all).count - valid.count
        warnings = dropped > 0 ? [.alignmentHeadsDropped(path: path, count: dropped)] : []
    }
}

extension JSONValue {
    /// The value as alignment heads: a list of pairs, layer and head.
    fileprivate var alignmentHeads: [AlignmentHead]? {
        guard case .array(let pairs) = self else { return nil }
        var heads: [AlignmentHead] = []
        for pair in pairs {
            guard let numbers = pair.counts, numbers.count == 2 else { return nil }
            heads.append(AlignmentHead(layer: numbers[0], head: numbers[1]))
        }
        return heads
    }
}
