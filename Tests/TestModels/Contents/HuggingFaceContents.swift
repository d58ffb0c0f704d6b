import EngineWhisper
package import Foundation

/// The files of a Hugging Face folder, so that tests can change any part and write it.
package struct HuggingFaceContents {
    /// `config.json` and `generation_config.json`.
    package var settings: [String: Any]
    package var generation: [String: Any]?
    /// The tensors by name with their stored types.
    package var tensors: [(name: String, type: String, shape: [Int], data: [UInt8])]
    package var vocabulary: PrintableVocabulary

    package init(_ model: PlainModel) {
        let d = model.dimensions, special = SpecialTokens(vocabularySize: d.nVocab)
        settings = [
            "model_type": "whisper", "vocab_size": d.nVocab, "num_mel_bins": d.nMels, "d_model": d.nAudioState,
            "encoder_layers": d.nAudioLayer, "encoder_attention_heads": d.nAudioHead, "decoder_layers": d.nTextLayer,
            "decoder_attention_heads": d.nTextHead, "encoder_ffn_dim": 4 * d.nAudioState,
            "decoder_ffn_dim": 4 * d.nTextState, "max_source_positions": d.nAudioCtx,
            "max_target_positions": d.nTextCtx, "activation_function": "gelu", "scale_embedding": false,
        ]
        generation = [
            "alignment_heads": [[0, 0]], "eos_token_id": special.endOfText,
            "decoder_start_token_id": special.startOfTranscript, "no_timestamps_token_id": special.noTimestamps,
            "prev_sot_token_id": special.startOfPrevious,
        ]
        tensors = model.tensors.map {
            (Self.name($0.name), $0.isHalf ? "F16" : "F32", $0.shape, $0.data)
        }
        vocabulary = .shared(size: d.nVocab)
    }

    /// Replacements in order; the first that ends or follows a dot.
    package static func name(_ name: String) -> String {
        var name = "model." + name + "."
        for (own, theirs) in [
            (".blocks.", ".layers."), (".positional_embedding.", ".embed_positions.weight."),
            (".token_embedding.", ".embed_tokens."), (".ln_post.", ".layer_norm."), (".ln.", ".layer_norm."),
            (".attn_ln.", ".self_attn_layer_norm."), (".cross_attn_ln.", ".encoder_attn_layer_norm."),
            (".mlp_ln.", ".final_layer_norm."), (".cross_attn.", ".encoder_attn."), (".attn.", ".self_attn."),
            (".query.", ".q_proj."), (".key.", ".k_proj."), (".value.", ".v_proj."), (".out.", ".out_proj."),
            (".mlp.0.", ".fc1."), (".mlp.2.", ".fc2."),
        ] {
            name = name.replacing(own, with: theirs)
        }
        return String(name.dropLast())
    }

    /// A safetensors file with some of the tensors.
    package func safetensors(_ isIncluded: (String) -> Bool = { _ in true }) -> Data {
        var file = SafetensorsContents()
        for (name, type, shape, data) in tensors where isIncluded(name) {
            let start = file.data.count
            file.data.append(contentsOf: data)
            file.entries.append(
                #""\#(name)":{"dtype":"\#(type)","shape":\#(shape),"data_offsets":[\#(start),\#(file.data.count)]}"#)
        }
        return file.bytes()
    }

    /// A PyTorch file with some of the tensors.
    package func pyTorch(_ isIncluded: (String) -> Bool = { _ in true }) -> [UInt8] {
        var entries: [ZIPContents.Entry] = [], state: [(String, PickleItem)] = []
        for (index, tensor) in tensors.enumerated() where isIncluded(tensor.name) {
            let type = tensor.type == "F16" ? "HalfStorage" : "FloatStorage", key = "\(index)"
            let strides = tensor.shape.indices.map { tensor.shape[($0 + 1)...].reduce(1, *) }
            state.append(
                (
                    tensor.name,
                    .tensor(
                        storage: .storage(type, key, tensor.shape.reduce(1, *)), offset: 0, sizes: tensor.shape,
                        strides: strides)
                ))
            entries.append(ZIPContents.Entry("m/data/\(key)", tensor.data))
        }
        return ZIPContents(
            entries: [ZIPContents.Entry("m/data.pkl", PickleItem.dictionary(state).pickled)] + entries
        ).bytes
    }

    package func index(of name: String) -> Int { tensors.firstIndex { $0.name == name } ?? 0 }

    /// The files of the folder; the weights in `model.safetensors` or `pytorch_model.bin`, or in several with an index.
    package func files(
        shards: [String]? = nil, pyTorch isPyTorch: Bool = false, tokenizer: Bool = true
    ) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        func write(_ value: [String: Any], _ name: String) throws {
            contents[name] = try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        }
        try write(settings, "config.json")
        if let generation { try write(generation, "generation_config.json") }
        if tokenizer {
            let isEnglish = vocabulary.texts.count == PrintableVocabulary.english.texts.count
            contents["tokenizer.json"] =
                try isEnglish ? PrintableVocabulary.englishTokenizer.get() : vocabulary.tokenizer()
        }
        func addWeights(_ name: String, _ isIncluded: (String) -> Bool = { _ in true }) {
            contents[name] = isPyTorch ? Data(pyTorch(isIncluded)) : safetensors(isIncluded)
        }
        let whole = isPyTorch ? "pytorch_model.bin" : "model.safetensors"
        guard let shards else {
            addWeights(whole)
            return contents
        }
        var files: [String: String] = [:]
        for (index, tensor) in tensors.enumerated() { files[tensor.name] = shards[index % shards.count] }
        for shard in shards { addWeights(shard) { files[$0] == shard } }
        try write(["metadata": ["total_size": 0], "weight_map": files], whole + ".index.json")
        return contents
    }
}
