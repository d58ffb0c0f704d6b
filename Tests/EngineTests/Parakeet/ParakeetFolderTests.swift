import Foundation
import Testing

@Suite("Parakeet's Hugging Face folder")
struct ParakeetFolderTests {
    /// A copy of a fixture's folder.
    private static func copy(_ name: String = "tdt") throws -> TemporaryFolder {
        let folder = try TemporaryFolder(), from = Fixtures.url("parakeet/\(name)/model")
        for file in try FileManager.default.contentsOfDirectory(atPath: from.path(percentEncoded: false)) {
            try FileManager.default.copyItem(at: from.appending(path: file), to: folder.url.appending(path: file))
        }
        return folder
    }

    /// The error of opening a copy in which a text is replaced.
    private static func error(
        in file: String, _ text: String, _ replacement: String, fixture: String = "tdt"
    ) throws -> ModelError? {
        let folder = try copy(fixture), original = try #require(folder.text(file))
        #expect(original.contains(text), "\(text)")
        try folder.create(file, original.replacingOccurrences(of: text, with: replacement))
        return error(of: folder.path)
    }

    private static func error(of path: FilePath) -> ModelError? {
        do throws(ModelError) {
            _ = try ParakeetFolder(path)
            return nil
        } catch { return error }
    }

    @Test("sizes are those of config.json", arguments: ParakeetFixture.all)
    func dimensions(fixture: ParakeetFixture) throws {
        let file = try ParakeetFolder(fixture.folder), d = file.dimensions, hasBias = fixture.name.hasSuffix("bias")
        let head: ParakeetHead =
            switch fixture.name {
            case "ctc": .ctc
            case "rnnt": .rnnt
            default: .tdt(durations: [0, 1, 2, 3, 4])
            }
        #expect(d.head == head && d.width == 32 && d.layers == 2 && d.vocabulary == 256 && d.taps == 9)
        #expect(d.bands == (hasBias || fixture.name == "rnnt" ? 80 : 128) && d.subsampledBands == d.bands / 8)
        #expect(file.vocabulary.pieces.count == 256 && file.vocabulary.pieces[0] == "<unk>")
        // Without the counters of the batch normalizations.
        #expect(file.tensors.values.allSatisfy { $0.type == .f16 })
        #expect(ParakeetFolder.recognizes(fixture.folder))
        let weights = fixture.folder.appending("model.safetensors")
        #expect(ParakeetFolder.recognizes(weights))
        #expect(try ParakeetFolder(weights).dimensions == d)
    }

    @Test("a folder of another kind is not taken for this family")
    func others() throws {
        #expect(!ParakeetFolder.recognizes(FilePath("/")))
        #expect(!ParakeetFolder.recognizes(FilePath("/nowhere/model.safetensors")))
        let folder = try TemporaryFolder()
        try folder.create("config.json", #"{"model_type": "whisper"}"#)
        #expect(!ParakeetFolder.recognizes(folder.path))
        try folder.create("config.json", #"{"model_type": "nemotron_asr_streaming"}"#)
        #expect(ParakeetFolder.recognizes(folder.path))
        #expect(Self.error(of: folder.path)?.description.contains("has no encoder_config") == true)
        try folder.create("config.json", #"{"model_type": "nemotron3_5_transcribe"}"#)
        #expect(ParakeetFolder.recognizes(folder.path))
        #expect(Self.error(of: folder.path)?.description.contains("of type nemotron3_5_transcribe") == true)
    }

    @Test(
        "settings that the network does not have are errors",
        arguments: [
            (#""hidden_size": 32"#, #""hidden_size": 33"#, "hidden_size is 33"),
            (#""hidden_size": 32"#, #""hidden_size": 999999999999"#, "hidden_size is 999999999999"),
            (#""hidden_size": 32"#, #""hidden_size": "x""#, "hidden_size is x"),
            (#""num_hidden_layers": 2"#, #""num_hidden_layers": 101"#, "num_hidden_layers is 101"),
            (#""num_attention_heads": 4"#, #""num_attention_heads": 5"#, "num_attention_heads is 5"),
            (#""num_attention_heads": 4,"#, "", "num_attention_heads is missing"),
            (#""num_mel_bins": 128"#, #""num_mel_bins": 0"#, "num_mel_bins is 0"),
            (#""conv_kernel_size": 9"#, #""conv_kernel_size": 8"#, "conv_kernel_size is 8"),
            (#""subsampling_factor": 8"#, #""subsampling_factor": 4"#, "subsampling_factor is 4"),
            (#""hidden_act": "silu""#, #""hidden_act": "gelu""#, "hidden_act is gelu"),
            (#""hidden_act": "relu""#, #""hidden_act": "tanh""#, "hidden_act is tanh"),
            (#""attention_bias": false"#, #""attention_bias": 0"#, "attention_bias is 0"),
            (#""blank_token_id": 256"#, #""blank_token_id": 0"#, "blank_token_id is 0"),
            (#""vocab_size": 257"#, #""vocab_size": 1"#, "vocab_size is 0"),
            (#""durations": ["#, #""others": ["#, "durations is missing"),
            (#""model_type": "parakeet_tdt""#, #""model_type": "parakeet_xyz""#, "of type parakeet_xyz"),
            (#""encoder_config""#, #""encoder""#, "has no encoder_config"),
        ])
    func settings(text: String, replacement: String, expected: String) throws {
        let error = try Self.error(in: "config.json", text, replacement)
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("audio settings other than those of the features are errors")
    func audio() throws {
        for (text, replacement) in [
            (#""n_fft": 512"#, #""n_fft": 400"#), (#""feature_size": 128"#, #""feature_size": 80"#),
            (#""preemphasis": 0.97"#, #""preemphasis": 0"#), (#""sampling_rate": 16000"#, #""sampling_rate": 8000"#),
        ] {
            let error = try Self.error(in: "processor_config.json", text, replacement)
            guard case .badSetting = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("an incomplete or ambiguous vocabulary, and that of another model, is an error")
    func vocabulary() throws {
        for (text, replacement, expected) in [
            (#""me": 68"#, #""me": 69"#, "the id 69"), (#""me": 68"#, #""me": 999"#, "no token with the id 68"),
            (#""me": 68"#, #""me": "68""#, "me no id"), (#""vocab""#, #""words""#, "has no model.vocab"),
            (#""BPE""#, #""WordPiece""#, "model.type is WordPiece, expected BPE"), ("▁", "Ġ", "begins with ▁"),
            (#""me": 68"#, #""me": 68, "<x>": 257, "<y>": 258"#, "has 3 tokens from the id 256 on"),
        ] {
            let error = try Self.error(in: "tokenizer.json", text, replacement)
            #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        }
    }

    @Test("missing files are named", arguments: ["config.json", "model.safetensors", "tokenizer.json"])
    func missing(name: String) throws {
        let folder = try Self.copy()
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
        #expect(Self.error(of: folder.path)?.description.contains(name) == true)
    }

    @Test("weights may be in several files, each of which can name the model")
    func shards() throws {
        let folder = try Self.copy(), whole = try ParakeetFolder(folder.path), names = whole.tensors.keys.sorted()
        let files = (1...2).map { "model-0000\($0)-of-00002.safetensors" }
        var shards = files.map { _ in SafetensorsContents() }
        // An index also names tensors that nothing reads.
        var map = ["encoder.layers.0.conv.norm.num_batches_tracked": files[0]]
        for (index, name) in names.enumerated() {
            let tensor = try whole.tensor(name), numbers = try tensor.floats()
            shards[index % 2].add(name, tensor.shape, numbers.values(0..<numbers.count))
            map[name] = files[index % 2]
        }
        try FileManager.default.removeItem(at: folder.url.appending(path: "model.safetensors"))
        for (file, shard) in zip(files, shards) { _ = try shard.write(to: folder.url.appending(path: file)) }
        try JSONEncoder().encode(["weight_map": map]).write(
            to: folder.url.appending(path: "model.safetensors.index.json"))
        for path in [folder.path] + files.map({ folder.path($0) }) {
            #expect(ParakeetFamily.recognizes(path))
            let file = try ParakeetFolder(path)
            #expect(file.path == folder.path && file.tensors.keys.sorted() == names)
        }
        try FileManager.default.removeItem(at: folder.url.appending(path: files[1]))
        #expect(Self.error(of: folder.path)?.description.contains(files[1]) == true)
    }

    @Test("tensors that are missing, superfluous or of another shape are named")
    func tensors() throws {
        let missing = try Self.error(in: "config.json", #""num_hidden_layers": 2"#, #""num_hidden_layers": 3"#)
        #expect(missing?.description.contains("encoder.layers.2.") == true)
        let unknown = try Self.error(in: "config.json", #""num_hidden_layers": 2"#, #""num_hidden_layers": 1"#)
        #expect(unknown?.description.contains("encoder.layers.1.") == true)
        let shape = try Self.error(in: "config.json", #""intermediate_size": 128"#, #""intermediate_size": 64"#)
        guard case .wrongShape = shape else {
            Issue.record("\(String(describing: shape))")
            return
        }
    }

    @Test("numbers that are not finite, and weights that are cut off, are errors")
    func damage() throws {
        let folder = try Self.copy(), path = folder.url.appending(path: "model.safetensors")
        let bytes = try Data(contentsOf: path)
        try bytes.dropLast(2).write(to: path)
        guard case .truncated = Self.error(of: folder.path) else {
            Issue.record("not truncated")
            return
        }
        // The last tensor is the bias of the subsampling's linear layer or a weight of the joint: any will do.
        try (bytes.dropLast(2) + [0, 0x7e]).write(to: path)
        #expect {
            _ = try ParakeetModel.load(ParakeetFolder(folder.path), options: ComputeOptions(threads: 1))
        } throws: { error in
            if case .notFinite? = error as? ModelError { true } else { false }
        }
    }

    @Test("a model that does not fit in memory is refused before it is read")
    func memory() throws {
        let file = try ParakeetFolder(ParakeetFixture.all[0].folder)
        #expect {
            _ = try ParakeetModel(file, backend: ComputeOptions(threads: 1).makeBackend(), memory: 1_000_000)
        } throws: { error in
            if case .notEnoughMemory? = error as? ModelError { true } else { false }
        }
    }
}
