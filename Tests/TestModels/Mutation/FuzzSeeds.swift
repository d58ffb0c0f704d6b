import EngineWhisper
import Foundation

/// The valid models that mutants are made of: as small as Whisper's vocabulary permits, and varied.
extension ModelFiles.Format {
    /// Models that open within a fraction of a millisecond. Those without a vocabulary are complete otherwise.
    func seeds() throws -> [ModelFiles] {
        switch self {
        case .ggml:
            return [
                GGMLContents(width: 1), GGMLContents(width: 2, decoderLayers: 2),
                GGMLContents(width: 1, vocabularySize: 51_865),
            ].map { ModelFiles(self, [.init("model.bin", $0.bytes)]) }
        case .ctranslate2:
            let settings = ModelFiles.File("config.json", #"{"alignment_heads": [[0, 0]], "lang_ids": null}"#)
            let bands = ModelFiles.File("preprocessor_config.json", #"{"feature_size": 80}"#)
            let plain = CTranslate2Contents(.tiny(width: 1)), deep = CTranslate2Contents(.tiny(decoderLayers: 2))
            return [
                ModelFiles(self, [.init("model.bin", plain.bytes), settings]),
                ModelFiles(self, [.init("model.bin", plain.withIntegers.bytes), settings, bands]),
                ModelFiles(self, [.init("model.bin", deep.withIntegers.bytes), settings]),
            ]
        case .huggingFace:
            let contents = HuggingFaceContents(.tiny(width: 1))
            var untied = HuggingFaceContents(.tiny(width: 1, decoderLayers: 2))
            let embedding = untied.tensors[untied.index(of: "model.decoder.embed_tokens.weight")]
            untied.tensors.append(("proj_out.weight", embedding.type, embedding.shape, embedding.data))
            let shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
            var pyTorch = try contents.files(tokenizer: false)
            pyTorch["model.safetensors"] = nil
            pyTorch["pytorch_model.bin"] = Data(contents.pyTorch())
            let sharded = try contents.files(shards: shards, tokenizer: false)
            let tokenizer = Data(
                (#"{"model": {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b", ["a", "b"]]}, "#
                    + #""added_tokens": [{"id": 50256, "content": "<|endoftext|>"}]}"#).utf8)
            return [
                ModelFiles(self, try contents.files(tokenizer: false)), ModelFiles(self, sharded),
                ModelFiles(self, try untied.files(tokenizer: false)), ModelFiles(self, pyTorch),
                ModelFiles(self, try contents.files(tokenizer: false).adding("tokenizer.json", tokenizer)),
                ModelFiles(
                    self,
                    sharded.adding("vocab.json", Data(#"{"a": 0, "b": 1}"#.utf8))
                        .adding("added_tokens.json", Data(#"{"<|endoftext|>": 50256}"#.utf8))),
            ]
        case .pyTorch:
            var extras = PyTorchContents(GGMLContents(width: 1))
            extras.extras = [("a", .list([.int(1 << 40), .tuple([.none, .float(2), .bool(true)])])), ("b", .int(-1))]
            return [.init("model.pt", PyTorchContents(GGMLContents(width: 1)).bytes), .init("model.pt", extras.bytes)]
                .map { ModelFiles(self, [$0]) } + (try ["plain.pt", "views.pt"].map { try fixture("pytorch/\($0)") })
        case .parakeet:
            let names = ["config.json", "model.safetensors", "tokenizer.json"]
            let folder = try names.map { ModelFiles.File($0, try bytes("parakeet/ctc/model/\($0)")) }
            return try [
                fixture("parakeet/tdt/ggml-q8_0.bin", as: "model.bin"),
                fixture("parakeet/tdt/q8_0.gguf", as: "model.gguf"), fixture("parakeet/ctc/f16.gguf", as: "model.gguf"),
                fixture("parakeet/tdt/f16.nemo", as: "model.nemo"), fixture("parakeet/ctc/f16.nemo", as: "model.nemo"),
                ModelFiles(self, folder),
            ]
        }
    }

    /// Models with a complete vocabulary or wide tensors, which take up to a hundred times as long.
    func slowSeeds() throws -> [ModelFiles] {
        let words = PrintableVocabulary.english
        switch self {
        case .ggml:
            var complete = GGMLContents(width: 1), quantized = GGMLContents(width: 32)
            complete.pieces = Vocabulary.builtIn(size: 51_864).pieces
            for index in quantized.records.indices where quantized.records[index].type == 1 {
                guard quantized.records[index].sizes[0] % 32 == 0 else { continue }
                quantized.records[index].type = 8
                let blocks = quantized.records[index].sizes.reduce(1, *) / 32
                quantized.records[index].data = [UInt8](repeating: 0x11, count: 34 * blocks)
            }
            return [complete, quantized].map { ModelFiles(self, [.init("model.bin", $0.bytes)]) }
        case .ctranslate2:
            let model = ModelFiles.File("model.bin", CTranslate2Contents(.tiny(width: 1)).bytes)
            return try [
                ("vocabulary.txt", words.lines), ("vocabulary.json", words.list), ("tokenizer.json", words.tokenizer()),
            ].map { ModelFiles(self, [model, .init("config.json", "{}"), .init($0.0, [UInt8]($0.1))]) }
        case .huggingFace:
            let contents = HuggingFaceContents(.tiny(width: 1))
            return [
                ModelFiles(self, try contents.files()),
                ModelFiles(self, try contents.files(tokenizer: false).adding("vocab.json", words.ranks)),
            ]
        case .pyTorch, .parakeet: return []
        }
    }

    private func fixture(_ path: String, as name: String = "model.pt") throws -> ModelFiles {
        ModelFiles(self, [.init(name, try bytes(path))])
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try [UInt8](Data(contentsOf: folder.appending(path: "Fixtures/\(path)")))
    }
}

extension ModelFiles {
    fileprivate init(_ format: Format, _ files: [String: Data]) {
        self.init(format, files.sorted { $0.key < $1.key }.map { File($0.key, [UInt8]($0.value)) })
    }
}

extension ModelFiles.File {
    fileprivate init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
}

extension [String: Data] {
    fileprivate func adding(_ name: String, _ data: Data) -> [String: Data] { merging([name: data]) { $1 } }
}

extension CTranslate2Contents {
    /// The same with some tensors as integers, with one scale or one for each row.
    fileprivate var withIntegers: CTranslate2Contents {
        var contents = self
        let wide = "decoder/layer_0/ffn/linear_0/weight", other = "decoder/layer_0/ffn/linear_1/weight"
        contents[wide].type = 1
        contents[wide].data.removeLast(contents[wide].data.count / 2)
        contents[other].type = 2
        let scale: [UInt8] = [0, 0, 0x80, 0x40], rows = contents[wide].shape[0]
        contents.variables += [
            Variable(
                name: wide + "_scale", shape: [rows], type: 0,
                data: Array(repeatElement(scale, count: rows).joined())),
            Variable(name: other + "_scale", shape: [], type: 0, data: scale),
        ]
        return contents
    }
}
