import Foundation
import Testing

/// The files of one model with the same numbers, as other programs write them: `parakeet_model.py`.
@Suite("Parakeet's formats")
struct ParakeetFormatsTests {
    private static func path(_ name: String) -> FilePath {
        FilePath(Fixtures.url("parakeet/\(name)").path(percentEncoded: false))
    }

    private static func tokens(_ path: FilePath, of fixture: ParakeetFixture) throws -> [[Int]] {
        let file = try #require(try ModelFamilies.open(path) as? any ParakeetFile)
        let model = try ParakeetModel.load(file, options: ComputeOptions(computeType: .float32, threads: 2))
        return try tokens(model, of: fixture)
    }

    /// Ids, first and last frames of the tokens.
    private static func tokens(_ model: ParakeetModel, of fixture: ParakeetFixture) throws -> [[Int]] {
        var search = GreedySearch(model.dimensions)
        let features = ParakeetFeatures(bands: model.dimensions.bands)
        let encoded = try ParakeetEncoder(model).encode(features.normalized(fixture.samples))
        let tokens =
            if let transducer = try TransducerNetwork(model) {
                try search.tokens(of: encoded, transducer)
            } else {
                try search.tokens(of: encoded, #require(try CTCNetwork(model)))
            }
        return tokens.map { [$0.id, $0.start, $0.end] }
    }

    @Test(
        "the same weights give the same tokens in every format",
        arguments: [
            ("tdt", "f16.nemo"), ("tdt", "f16.gguf"), ("tdt", "ggml-f16.bin"), ("ctc", "f16.nemo"), ("ctc", "f16.gguf"),
        ])
    func same(name: String, file: String) throws {
        let fixture = try #require(ParakeetFixture.all.first { $0.name == name }), path = Self.path("\(name)/\(file)")
        let folder = try ParakeetFolder(fixture.folder)
        let stored = try #require(try ModelFamilies.open(path) as? any ParakeetFile)
        #expect(stored.dimensions == folder.dimensions && stored.vocabulary.pieces == folder.vocabulary.pieces)
        try stored.verify()
        let tokens = try Self.tokens(path, of: fixture)
        #expect(try tokens == Self.tokens(fixture.folder, of: fixture))
        #expect(try tokens.map { $0[0] } == fixture.result.whole.tokens)
    }

    @Test(
        "models for live audio are the same in every format",
        arguments: [("f16.nemo", [0, 1, 3, 6, 13]), ("f16.gguf", [0, 6, 13])])
    func streaming(file: String, lookaheads: [Int]) throws {
        let folder = try ParakeetFolder(ParakeetFixture.streaming[1].folder)
        let stored = try #require(try ModelFamilies.open(Self.path("streaming35/\(file)")) as? any ParakeetFile)
        var dimensions = folder.dimensions
        dimensions.streaming?.lookaheads = lookaheads
        #expect(stored.dimensions == dimensions && stored.vocabulary.pieces == folder.vocabulary.pieces)
        #expect(stored.traits.languages == folder.traits.languages)
        #expect(Set(stored.tensors.keys) == Set(folder.tensors.keys))
        for (name, tensor) in folder.tensors {
            let one = try tensor.floats(), other = try stored.tensor(name).floats()
            #expect(one.values(0..<one.count) == other.values(0..<other.count), "\(name)")
        }
        try stored.verify()
    }

    @Test("8 bits in GGUF are those of whisper.cpp's file, and of a float model with the same numbers")
    func quantized() throws {
        let fixture = ParakeetFixture.all[0], gguf = try ParakeetGGUFFile(Self.path("tdt/q8_0.gguf"))
        let ggml = try ParakeetGGMLFile(Self.path("tdt/ggml-q8_0.bin"))
        var shared = 0
        for (name, tensor) in gguf.tensors where tensor.type == .q8_0 && ggml.tensors[name]?.type == .q8_0 {
            // The gates of the prediction network are in another order there.
            if name.hasPrefix("decoder.lstm.") { continue }
            let one = try tensor.floats(), other = try ggml.tensor(name).floats()
            #expect(one.values(0..<one.count) == other.values(0..<other.count), "\(name)")
            shared += 1
        }
        #expect(shared > 20)
        let folder = try TemporaryFolder()
        for name in ["config.json", "processor_config.json", "tokenizer.json"] {
            try folder.create(name, String(contentsOf: Fixtures.url("parakeet/tdt/model/\(name)"), encoding: .utf8))
        }
        var weights = SafetensorsContents()
        for (name, tensor) in gguf.tensors.sorted(by: { $0.key < $1.key }) {
            let numbers = try tensor.floats()
            weights.add(name, tensor.shape, numbers.values(0..<numbers.count))
        }
        _ = try weights.write(to: folder.url.appending(path: "model.safetensors"))
        #expect(try Self.tokens(gguf.path, of: fixture) == Self.tokens(folder.path, of: fixture))
    }

    /// The error of opening a copy of a fixture with a change.
    private static func error(_ name: String, _ change: (inout [UInt8]) throws -> Void) throws -> String {
        var bytes = try [UInt8](Data(contentsOf: Fixtures.url("parakeet/\(name)")))
        try change(&bytes)
        let folder = try TemporaryFolder(), path = try folder.write(bytes)
        do throws(ModelError) {
            _ = try ModelFamilies.open(path)
            return ""
        } catch { return error.description }
    }

    /// Replaces a text by another one of the same length.
    private static func replace(_ text: String, _ other: String, in bytes: inout [UInt8]) throws {
        precondition(text.utf8.count == other.utf8.count)
        let at = try #require(bytes.firstRange(of: text.utf8), "\(text)")
        bytes.replaceSubrange(at, with: other.utf8)
    }

    @Test(
        "files for other programs are named",
        arguments: [
            ("tdt/f16.gguf", "asr", "llm", "a GGUF file of the architecture llm"),
            ("tdt/f16.gguf", "block_q8_0", "tensor_pv1", "in the layout tensor_pv1 for GPUs"),
            ("tdt/f16.gguf", "batch_norm", "layer_norm", "asr.encoder.conv_norm is layer_norm"),
            ("tdt/f16.gguf", "per_feature", "all_feature", "asr.preprocessor.normalize is all_feature"),
            ("tdt/f16.gguf", "asr.tokenizer.vocab", "asr.tokenizer.vocax", "asr.tokenizer.vocab is missing"),
            ("tdt/f16.nemo", "conv_norm_type: batch", "conv_norm_type: layer", "encoder.conv_norm_type is layer_norm"),
            ("tdt/f16.nemo", "style: regular", "style: chunked", "encoder.att_context_style is chunked"),
            ("tdt/f16.nemo", "size: [-1, -1]", "size: [70, 13]", "encoder.att_context_size is"),
            ("streaming35/f16.nemo", "size: [[14,", "size: [[15,", "encoder.att_context_size is"),
            ("streaming35/f16.nemo", "[14, 13]", "[14, 1x]", "encoder.att_context_size is"),
            ("streaming35/f16.nemo", "size: causal", "size: [4, 4]", "encoder.conv_context_size is"),
            ("streaming35/f16.nemo", "normalize: NA", "normalize: no", "preprocessor.normalize is false"),
            ("streaming35/f16.nemo", "\"auto\": 101", "\"auto\": 128", "auto is 128"),
            ("streaming35/f16.nemo", "\"auto\": 101", "\"acho\": 101", "model_defaults.prompt_dictionary is"),
            ("streaming35/f16.nemo", "num_prompts: 128", "num_prompts: 127", "prompt_kernel.0.weight"),
            ("streaming35/f16.gguf", "auto:101", "auto:1x1", "auto is 1x1"),
            ("streaming35/f16.gguf", "auto:101", "auto_101", "asr.rnnt.prompt_dictionary is"),
            ("streaming35/f16.gguf", "train_left_ctx", "train_left_ctz", "asr.encoder.train_left_ctx is missing"),
            ("tdt/f16.nemo", "ConformerEncoder", "SqueezefEncoder.", "a NeMo model of another architecture"),
            ("tdt/f16.nemo", "dw_striding", "stacking_no", "encoder.subsampling is stacking_no"),
            ("tdt/f16.nemo", "n_layers: 2", "n_layers: x", "encoder.n_layers is x"),
            ("tdt/f16.nemo", "n_layers: 2", "n_layers: 3", "tensors missing: encoder.layers.2."),
            ("tdt/f16.nemo", "use_bias: false", "use_bias: *alse", "begins a value with '*'"),
            ("tdt/f16.nemo", "\"<unk>\"", "\"<unk>x", "continues a value"),
            ("tdt/f16.nemo", "  durations: [0", "  duratioms: [0", ""),
        ])
    func others(file: String, text: String, other: String, expected: String) throws {
        let error = try Self.error(file) { try Self.replace(text, other, in: &$0) }
        // Any change inside the archive's settings is visible to no checksum.
        #expect(expected.isEmpty ? error.isEmpty : error.contains(expected), "\(error)")
    }

    @Test("a compressed NeMo model, an ONNX folder and one for MLX are named with what to do")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let compressed = folder.path("model.nemo")
        try Data([0x1f, 0x8b, 8, 0] + [UInt8](repeating: 0, count: 600)).write(
            to: folder.url.appending(path: "model.nemo"))
        #expect { _ = try ModelFamilies.open(compressed) } throws: { error in
            guard case .anotherFormat(_, let what, let instead)? = error as? ModelError else { return false }
            return what == "a compressed NeMo model" && instead.contains("gunzip < ")
        }
        for (name, text, expected) in [
            ("encoder-model.int8.onnx", "", "a folder with an ONNX model"),
            ("config.json", #"{"target": "nemo.collections.asr.X"}"#, "a folder with an MLX model"),
            ("config.json", #"{"model_type": "nemo-conformer-tdt"}"#, "a folder with an ONNX model"),
        ] {
            let folder = try TemporaryFolder()
            try folder.create(name, text)
            #expect(ParakeetFamily.recognizes(folder.path))
            #expect { _ = try ModelFamilies.open(folder.path) } throws: { error in
                guard case .anotherFormat(_, expected, let instead)? = error as? ModelError else { return false }
                return instead.hasPrefix("use a Parakeet model")
            }
        }
    }

    /// A folder with copies of fixtures and files of text, each by its name.
    private static func folder(_ copies: [String: String], texts: [String: String] = [:]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, fixture) in copies {
            try FileManager.default.copyItem(
                at: Fixtures.url("parakeet/\(fixture)"), to: folder.url.appending(path: name))
        }
        for (name, text) in texts { try folder.create(name, text) }
        return folder
    }

    @Test(
        "of a folder, the .nemo or GGUF file is used if the rest is not a model",
        arguments: [
            (["m.nemo": "tdt/f16.nemo"], "NeMo"), (["m.q8_0.gguf": "tdt/q8_0.gguf"], "GGUF"),
            (["m.nemo": "tdt/f16.nemo", "config.json": "tdt/model/config.json"], "NeMo"),
            (["m.q8_0.gguf": "tdt/q8_0.gguf", "m.nemo": "tdt/f16.nemo"], "NeMo"),
            (["m.q8_0.gguf": "tdt/q8_0.gguf", "m.gguf": "tdt/f16.gguf"], "GGUF"),
            (
                [
                    "m.nemo": "tdt/f16.nemo", "config.json": "tdt/model/config.json",
                    "model.safetensors": "tdt/model/model.safetensors", "tokenizer.json": "tdt/model/tokenizer.json",
                ], "Hugging Face"
            ),
        ])
    func singleFile(files: [String: String], format: String) throws {
        let folder = try Self.folder(files)
        #expect(ParakeetFamily.recognizes(folder.path))
        let stored = try ModelFamilies.open(folder.path)
        #expect(stored.format == format && (format != "GGUF" || stored.mainType == (files.count == 1 ? .q8_0 : .f16)))
    }

    @Test("of a folder with several models, none is used, and one with Whisper's is left to that family")
    func severalFiles() throws {
        let two = try Self.folder(["a.nemo": "tdt/f16.nemo", "b.gguf": "tdt/f16.gguf"])
        #expect(throws: ModelError.severalModels(path: two.path, names: [FilePath("a.nemo"), FilePath("b.gguf")])) {
            _ = try ModelFamilies.open(two.path)
        }
        for (name, text) in [("config.json", #"{"model_type": "whisper"}"#), ("ggml-base.bin", "x")] {
            let folder = try Self.folder(["a.nemo": "tdt/f16.nemo"], texts: [name: text])
            #expect(!ParakeetFamily.recognizes(folder.path), "\(name)")
        }
    }

    @Test(
        "mel filters other than those of this program are an error when the model is loaded",
        arguments: [
            "tdt/f16.nemo", "tdt/f16.gguf", "tdt/ggml-f16.bin",
        ])
    func filters(file: String) throws {
        let stored = try #require(try ModelFamilies.open(Self.path(file)) as? any ParakeetFile)
        let filters = try #require(stored.featureTables[.filters])
        var bytes = try [UInt8](Data(contentsOf: Fixtures.url("parakeet/\(file)")))
        let start = try #require(try bytes.firstRange(of: filters.file.bytes(filters.bytes))).lowerBound
        bytes.replaceSubrange((start + 400)..<(start + 404), with: [0, 0, 0, 0x3f])
        let folder = try TemporaryFolder(), path = try folder.write(bytes)
        #expect { _ = try ModelFamilies.open(path).load(ComputeOptions(threads: 1)) } throws: { error in
            "\(error)".contains("has other values than this program's mel filters: 0.5 at 100")
        }
    }

    @Test("a file cut off anywhere is an error", arguments: ["tdt/f16.nemo", "tdt/f16.gguf"])
    func truncation(file: String) throws {
        let bytes = try [UInt8](Data(contentsOf: Fixtures.url("parakeet/\(file)"))), folder = try TemporaryFolder()
        // Every byte class: magic, numbers, texts, headers, the middle of tensors, and the end.
        // Behind an archive, there may be any number of empty blocks.
        let end = try #require(bytes.lastIndex { $0 != 0 })
        let lengths =
            Array(0..<40) + Array(stride(from: 41, to: 12_000, by: 97))
            + Array(stride(from: 12_001, through: end, by: 5003)) + [end]
        for length in lengths {
            let path = try folder.write(Array(bytes.prefix(length)))
            #expect(throws: ModelError.self, "\(length)") { _ = try ModelFamilies.open(path) }
        }
        _ = try ModelFamilies.open(folder.write(bytes))
    }
}
