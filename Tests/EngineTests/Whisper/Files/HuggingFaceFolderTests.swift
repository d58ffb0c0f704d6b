import Foundation
import Testing

@Suite("Hugging Face folders")
struct HuggingFaceFolderTests {
    static var good: HuggingFaceContents { HuggingFaceContents(.tiny()) }

    private func error(
        shards: [String]? = nil, _ change: (inout HuggingFaceContents, TemporaryFolder) throws -> Void
    ) throws -> ModelError? {
        let folder = try TemporaryFolder()
        var contents = Self.good
        try change(&contents, folder)
        try contents.write(to: folder, shards: shards)
        return try FormatFixture.open(folder.path)
    }

    @Test("settings of another network are rejected with key, value and expectation")
    func settings() throws {
        let cases: [(String, Any?, String)] = [
            ("model_type", "bert", "a folder with a Hugging Face model of type bert"),
            ("model_type", nil, "model_type is missing, expected 'whisper'"),
            ("activation_function", "relu", "activation_function is relu, expected gelu"),
            ("scale_embedding", true, "scale_embedding is true, expected false"),
            ("encoder_ffn_dim", 7, "encoder_ffn_dim is 7, expected 8"),
            ("d_model", nil, "d_model is missing, expected a number"),
            ("d_model", -2, "d_model is -2, expected a number"),
            ("d_model", 1 << 40, "d_model is 1099511627776, expected 1 to 8192"),
            ("vocab_size", 51_867, "vocab_size is 51867, expected 51864 to 51866"),
            ("num_mel_bins", 79, "num_mel_bins is 79, expected 80 or 128"),
            ("encoder_attention_heads", 3, "encoder_attention_heads is 3, expected 1 to 2"),
            ("decoder_layers", 0, "decoder_layers is 0, expected 1 to 256"),
            ("max_source_positions", 750, "max_source_positions is 750, expected 1500"),
            ("decoder_layers", 2, "24 tensors missing: model.decoder.layers.1."),
            ("num_mel_bins", 128, "tensor model.encoder.conv1.weight has the shape [2, 80, 3], expected [2, 128, 3]"),
            ("tie_word_embeddings", false, "tie_word_embeddings is false, expected true"),
            ("eos_token_id", 50_257, "eos_token_id is 50257, expected 50256"),
        ]
        for (key, value, part) in cases {
            let error = try error { contents, _ in contents.settings[key] = value }
            #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
    }

    @Test("token IDs that contradict the vocabulary's size are rejected, other generation settings only reported")
    func generation() throws {
        let cases: [(String, Any, String)] = [
            ("no_timestamps_token_id", 50_363, "no_timestamps_token_id is 50363, expected 50362"),
            ("prev_sot_token_id", 1, "prev_sot_token_id is 1, expected 50360"),
        ]
        for (key, value, part) in cases {
            let error = try error { contents, _ in contents.generation?[key] = value }
            #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
        let folder = try TemporaryFolder()
        try Self.good.write(to: folder)
        for text in ["{", "[]", #"{"alignment_heads": 3}"#] {
            try folder.create("generation_config.json", text)
            let file = try WhisperFiles.open(folder.path)
            #expect(file.alignmentHeads == nil && file.warnings.count == 1)
            #expect(file.warnings.allSatisfy { !$0.isDetail && "\($0)".hasSuffix("its settings are ignored") })
        }
    }

    @Test("languages and tasks of a multilingual model must have its vocabulary's IDs")
    func languages() throws {
        let folder = try TemporaryFolder()
        let model = PlainModel(
            GGMLContents(width: 2, vocabularySize: 51_866), vocabulary: VocabularyFixture.multilingual100Vocabulary)
        func error(_ key: String, _ ids: [String: Int]) throws -> String? {
            var contents = HuggingFaceContents(model)
            contents.generation?[key] = ids
            try contents.write(to: folder)
            return try FormatFixture.open(folder.path).map { "\($0)" }
        }
        #expect(try error("lang_to_id", ["<|en|>": 50_259, "<|yue|>": 50_358]) == nil)
        #expect(try error("task_to_id", ["transcribe": 50_360, "translate": 50_359]) == nil)
        #expect(try error("lang_to_id", ["<|de|>": 50_259])?.contains("is 50259, expected 50261") == true)
        #expect(try error("lang_to_id", ["<|xx|>": 50_259])?.contains("expected no such token") == true)
        #expect(try error("task_to_id", ["transcribe": 50_359])?.contains("is 50359, expected 50360") == true)
    }

    @Test("tensors without the prefix and under openai-whisper's names are found")
    func names() throws {
        #expect(
            try error { contents, _ in
                for index in contents.tensors.indices { contents.tensors[index].name.removeFirst("model.".count) }
            } == nil)
        #expect(
            try error { contents, _ in
                for (index, tensor) in PlainModel.tiny().tensors.enumerated() {
                    contents.tensors[index].name = tensor.name
                }
            } == nil)
        let twice = try error { contents, _ in
            var copy = contents.tensors[3]
            copy.name.removeFirst("model.".count)
            contents.tensors.append(copy)
        }
        #expect(twice?.description.contains("duplicate tensor") == true)
        let unknown = try error { contents, _ in contents.tensors.append(("extra", "F16", [1], [0, 0])) }
        #expect(unknown?.description.contains("unknown tensor extra") == true)
        let integers = try error { contents, _ in contents.tensors.append(("extra", "I64", [0], [])) }
        #expect(integers?.description.contains("stored as I64") == true)
    }

    @Test("audio settings that differ from Whisper's are rejected")
    func audioSettings() throws {
        let good = #"{"feature_size": 80, "sampling_rate": 16000, "n_fft": 400, "hop_length": 160, "chunk_length": 30}"#
        let folder = try TemporaryFolder(), path = folder.path("preprocessor_config.json")
        try Self.good.write(to: folder)
        try folder.create("preprocessor_config.json", good)
        #expect(try FormatFixture.open(folder.path) == nil)
        for (key, value, other) in [
            ("sampling_rate", "16000", "8000"), ("n_fft", "400", "512"), ("hop_length", "160", "null"),
        ] {
            let changed = good.replacing("\"\(key)\": \(value)", with: "\"\(key)\": \(other)")
            try folder.create("preprocessor_config.json", changed)
            #expect(
                try FormatFixture.open(folder.path)
                    == .badSetting(path: path, key: key, found: other, expected: value))
        }
    }

    @Test("a damaged header is reported for the file and for its folder")
    func damagedHeader() throws {
        let folder = try TemporaryFolder()
        try Self.good.write(to: folder)
        let url = folder.url.appending(path: "model.safetensors")
        for (offset, byte, part) in [(7, UInt8(0x80), "has a length of 92233"), (8, 0x5b, "begins with the byte 0x5b")]
        {
            var bytes = Self.good.safetensors()
            bytes[offset] = byte
            try bytes.write(to: url)
            for path in [folder.path, folder.path("model.safetensors")] {
                let error = try FormatFixture.open(path)
                #expect(error?.description.contains("the header " + part) == true, "\(String(describing: error))")
            }
        }
    }

    @Test("a stored output projection must equal the token embedding")
    func projection() throws {
        func error(_ change: (inout [UInt8]) -> Void) throws -> ModelError? {
            try self.error { contents, _ in
                let embedding = contents.tensors[contents.index(of: "model.decoder.embed_tokens.weight")]
                var data = embedding.data
                change(&data)
                contents.tensors.append(("proj_out.weight", embedding.type, embedding.shape, data))
            }
        }
        #expect(try error { _ in } == nil)
        #expect(try error { $0[$0.count - 1] ^= 1 }?.description.contains("untied output layer") == true)
    }

    @Test("LoRA adapters are rejected with advice")
    func adapter() throws {
        let mixed = try error { contents, _ in
            contents.tensors.append(("base_model.model.encoder.q_proj.lora_A.weight", "F16", [1], [0, 0]))
        }
        guard case .anotherFormat(_, _, "merge it into its base model first")? = mixed else {
            Issue.record("not refused")
            return
        }
        let folder = try TemporaryFolder()
        try folder.create("adapter_config.json", "{}")
        try folder.create("adapter_model.safetensors", "{}")
        try folder.create("config.json", "{}")
        #expect(try FormatFixture.open(folder.path)?.description.contains("a LoRA adapter") == true)
    }

    @Test(
        "missing shards are listed together, and names that leave the folder are rejected",
        arguments: ["model.safetensors", "pytorch_model.bin"])
    func shards(whole: String) throws {
        let shards = (1...3).map { whole.replacing(".", with: "-0000\($0)-of-00003.") }
        let folder = try TemporaryFolder(), indexName = whole + ".index.json"
        try Self.good.write(to: folder, shards: shards, pyTorch: whole == "pytorch_model.bin")
        #expect(try WhisperFiles.open(folder.path(shards[1])).dimensions.nAudioState == 2)
        let index = try #require(folder.text(indexName))
        for name in ["../x", "/etc/passwd", "..", "", "a/b"] {
            try folder.create(indexName, #"{"weight_map": {"a": "\#(name)"}}"#)
            let error = try FormatFixture.open(folder.path)
            #expect(error?.description.contains("expected a name in the same folder") == true)
        }
        for text in ["", "[]", "{}", #"{"weight_map": {}}"#, #"{"weight_map": {"a": 1}}"#] {
            try folder.create(indexName, text)
            #expect(try FormatFixture.open(folder.path)?.category == .data, "\(text)")
        }
        try folder.create(indexName, index.replacing("encoder.conv1.bias", with: "other"))
        #expect(try FormatFixture.open(folder.path)?.description.contains("model.other") == true)
        try folder.create(indexName, index)
        for shard in [shards[0], shards[2]] {
            try FileManager.default.removeItem(at: folder.url.appending(path: shard))
        }
        #expect(
            try FormatFixture.open(folder.path)
                == .missingFiles(path: folder.path, names: [shards[0], shards[2]], purpose: "named by the index"))
    }

    @Test("missing files and files that are not what their names say are reported by name")
    func files() throws {
        let folder = try TemporaryFolder()
        func set(_ name: String, _ text: String?) throws -> ModelError? {
            try Self.good.write(to: folder)
            let url = folder.url.appending(path: name)
            try FileManager.default.removeItem(at: url)
            if let text { try Data(text.utf8).write(to: url) }
            return try FormatFixture.open(folder.path)
        }
        #expect(try set("config.json", nil)?.description.contains("config.json missing") == true)
        #expect(try set("config.json", "{\"a\":")?.description.contains("config.json ends unexpectedly") == true)
        #expect(try set("model.safetensors", nil)?.description.contains("model.safetensors missing") == true)
        #expect(try set("tokenizer.json", nil) == nil)
        let plain = try WhisperFiles.open(folder.path)
        #expect(plain.vocabulary == .builtIn(size: 51_864))
        #expect(plain.warnings == [.noVocabulary(path: folder.path)] && plain.warnings[0].isDetail)
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 151058792\n"
        #expect(try set("model.safetensors", pointer)?.description.contains("git-lfs pointer") == true)
        #expect(try set("model.safetensors", "")?.description.contains("is an empty file") == true)
        try FileManager.default.removeItem(at: folder.url.appending(path: "model.safetensors"))
        try folder.create("pytorch_model.bin", "PK")
        #expect(try FormatFixture.open(folder.path)?.description.contains("pytorch_model.bin") == true)
        try Data(pointer.utf8).write(to: folder.url.appending(path: "pytorch_model.bin"))
        #expect(try FormatFixture.open(folder.path)?.description.contains("git-lfs pointer") == true)
    }

    @Test("pytorch_model.bin is read where there is no model.safetensors")
    func pyTorch() throws {
        let folder = try TemporaryFolder()
        try Self.good.write(to: folder)
        let expected = try WhisperFiles.open(folder.path)
        try FileManager.default.removeItem(at: folder.url.appending(path: "model.safetensors"))
        try folder.write(Self.good.pyTorch(), to: "pytorch_model.bin")
        #expect(try FormatFixture.differences(WhisperFiles.open(folder.path), expected) == [])
    }

    @Test("safetensors take precedence over PyTorch files, and one file over its shards")
    func precedence() throws {
        let folder = try TemporaryFolder()
        for isPyTorch in [true, false] {
            let suffix = isPyTorch ? ".bin" : ".safetensors"
            for shards in [["1" + suffix, "2" + suffix], nil] {
                try Self.good.write(to: folder, shards: shards, pyTorch: isPyTorch)
                let used = try WhisperFiles.open(folder.path).tensor("encoder.conv1.weight").file.path
                let expected = shards ?? [isPyTorch ? "pytorch_model.bin" : "model.safetensors"]
                #expect(expected.map { folder.path($0) }.contains(used))
            }
        }
        // A checkpoint of its own is not part of the folder.
        let copy = folder.url.appending(path: "other.pt")
        try FileManager.default.copyItem(at: folder.url.appending(path: "pytorch_model.bin"), to: copy)
        #expect(
            try FormatFixture.open(folder.path("other.pt"))?.description.contains("not a Whisper checkpoint") == true)
    }

    @Test("a shard whose bytes have changed is found by its checksum")
    func damagedShard() throws {
        let folder = try TemporaryFolder(), name = "pytorch_model-00002-of-00002.bin"
        try Self.good.write(to: folder, shards: ["pytorch_model-00001-of-00002.bin", name], pyTorch: true)
        try WhisperFiles.open(folder.path).verify()
        let url = folder.url.appending(path: name)
        var bytes = [UInt8](try Data(contentsOf: url))
        let tensors = try PyTorchStateDictionary(folder.path(name)).tensors
        let largest = try #require(tensors.values.max { $0.count < $1.count })
        bytes[largest.bytes.lowerBound] ^= 1
        try Data(bytes).write(to: url)
        let changed = try WhisperFiles.open(folder.path)
        let error = #expect(throws: ModelError.self) { try changed.verify() }
        #expect(error?.description.contains("does not match its checksum") == true)
        #expect(error?.description.contains(name) == true)
    }

    @Test("tokenizers with unknown merges, doubled or missing IDs are rejected; vocab.json also works")
    func tokenizers() throws {
        let folder = try TemporaryFolder()
        try Self.good.write(to: folder)
        let url = folder.url.appending(path: "tokenizer.json"), words = PrintableVocabulary.english
        func error(_ data: Data) throws -> String? {
            try data.write(to: url)
            return try FormatFixture.open(folder.path).map { "\($0)" }
        }
        #expect(try error(words.tokenizer(merges: ["\u{120} t", ["h", "e"]])) == nil)
        #expect(try error(words.tokenizer(merges: ["zzq q"]))?.contains("unknown token zzq") == true)
        #expect(try error(words.tokenizer(merges: ["a b c"]))?.contains("not a pair") == true)
        #expect(try error(words.tokenizer(merges: [3]))?.contains("not a pair") == true)
        var changed = words
        changed.texts[50_300] = "<|klingon|>"
        #expect(try error(changed.tokenizer())?.contains("with the ID 50300, expected") == true)
        changed = words
        changed.texts.append("<|more|>")
        #expect(try error(changed.tokenizer())?.contains("expected less than 51864") == true)
        #expect(try error(Data(#"{"model": {"vocab": {"a": 0}}}"#.utf8))?.contains("no token with the ID 1") == true)
        #expect(
            try error(Data(#"{"model": {"vocab": {"a": 0, "b": 0}}}"#.utf8))?.contains("two tokens with the ID 0")
                == true)
        #expect(try error(Data(#"{"model": {"vocab": {"a": -1}}}"#.utf8))?.contains("no valid ID for token a") == true)
        #expect(try error(Data(#"{"model": {}}"#.utf8))?.contains("has no model with a vocabulary") == true)
        try FileManager.default.removeItem(at: url)
        try words.ranks.write(to: folder.url.appending(path: "vocab.json"))
        #expect(try WhisperFiles.open(folder.path).vocabulary == VocabularyFixture.englishVocabulary)
    }
}

@Suite("Folders with models")
struct ModelFolderTests {
    @Test("a folder with one ggml file opens it; with several, or none, the files are listed")
    func only() throws {
        let folder = try TemporaryFolder()
        #expect(try FormatFixture.open(folder.path) == .noModelInFolder(path: folder.path, names: []))
        try folder.create("notes.txt")
        #expect(
            try FormatFixture.open(folder.path) == .noModelInFolder(path: folder.path, names: [FilePath("notes.txt")]))
        try folder.write(GGMLContents(width: 2).bytes, to: "ggml-a.bin")
        #expect(try WhisperFiles.open(folder.path).path == folder.path("ggml-a.bin"))
        try folder.createFolder("ggml-a-encoder.mlmodelc")
        try folder.create("ggml-a-encoder.mlmodelc.zip", "PK\u{3}\u{4}\u{14}")
        #expect(try WhisperFiles.open(folder.path).path == folder.path("ggml-a.bin"))
        try folder.write(GGMLContents(width: 2).bytes, to: "b")
        #expect(
            try FormatFixture.open(folder.path)
                == .severalModels(path: folder.path, names: [FilePath("b"), FilePath("ggml-a.bin")]))
    }

    @Test("a ggml file or a checkpoint is found next to settings of other formats")
    func besideSettings() throws {
        for (name, bytes) in [
            ("tiny.pt", PyTorchContents(GGMLContents(width: 2)).bytes), ("ggml-tiny.bin", GGMLContents(width: 2).bytes),
            ("model.bin", GGMLContents(width: 2).bytes),
        ] {
            let folder = try TemporaryFolder()
            try folder.create("config.json", "{}")
            try folder.write(bytes, to: name)
            #expect(try WhisperFiles.open(folder.path).path == folder.path(name), "\(name)")
        }
        // A standalone model does not hide the folder's CTranslate2 weights.
        let folder = try TemporaryFolder()
        try folder.write(CTranslate2DamageTests.good)
        try folder.write(GGMLContents(width: 2).bytes, to: "ggml-tiny.bin")
        #expect(try WhisperFiles.open(folder.path) is CTranslate2File)
    }

    @Test(
        "the error for a folder with the weights of another library names the library",
        arguments: [("tf_model.h5", "TensorFlow"), ("flax_model.msgpack", "Flax")])
    func otherLibraries(name: String, library: String) throws {
        let folder = try TemporaryFolder()
        try folder.create("config.json", #"{"model_type": "whisper"}"#)
        try folder.write(Self.trainingState, to: "training_args.bin")
        try folder.create(name)
        guard
            case .anotherFormat(folder.path, "a folder with a \(library) model", let instead)? =
                try FormatFixture.open(folder.path)
        else {
            Issue.record("\(String(describing: try FormatFixture.open(folder.path)))")
            return
        }
        #expect(instead.contains("model.safetensors"))
    }

    /// A PyTorch archive that is not a model.
    private static let trainingState = ZIPContents(entries: [
        .init(
            "training_args/data.pkl",
            [0x80, 2] + PickleItem.global("transformers.training_args", "TrainingArguments").bytes + [0x2e])
    ]).bytes

    @Test("a training state is not mistaken for the missing weights")
    func trainingOnly() throws {
        let folder = try TemporaryFolder()
        try HuggingFaceFolderTests.good.write(to: folder)
        try FileManager.default.removeItem(atPath: folder.path("model.safetensors").description)
        for name in ["training_args.bin", "optimizer.pt"] { try folder.write(Self.trainingState, to: name) }
        guard case .missingFiles(folder.path, ["model.safetensors"], _)? = try FormatFixture.open(folder.path) else {
            Issue.record("\(String(describing: try FormatFixture.open(folder.path)))")
            return
        }
    }

    @Test("the weights of a CTranslate2 folder may have any name")
    func renamedWeights() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(CTranslate2DamageTests.good), other = folder.path("weights")
        #expect(unsafe rename(path.description, other.description) == 0)
        #expect(try WhisperFiles.open(other) is CTranslate2File)
    }

    @Test("weights given by their path need the other files next to them")
    func alone() throws {
        let folder = try TemporaryFolder()
        try folder.write(CTranslate2DamageTests.good.bytes)
        #expect(try FormatFixture.open(folder.path("model.bin"))?.description.contains("vocabulary.txt") == true)
        try HuggingFaceFolderTests.good.safetensors().write(to: folder.url.appending(path: "model.safetensors"))
        #expect(try FormatFixture.open(folder.path("model.safetensors"))?.description.contains("config.json") == true)
    }
}
