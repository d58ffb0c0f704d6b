import Foundation
import Testing

@Suite("PyTorch checkpoints")
struct PyTorchFileTests {
    struct Golden: Decodable {
        struct Case: Decodable {
            let file, name: String
            let shape: [Int]
            let first: [Float]
            let crc32: UInt32
        }
        let cases: [Case]
    }

    static let golden = Result { try Fixtures.json("pytorch/values.json", as: Golden.self).cases }

    static func fixture(_ name: String) -> FilePath {
        FilePath(Fixtures.url("pytorch/\(name)").path(percentEncoded: false))
    }

    /// The values as little-endian bytes.
    private static func bytes(_ tensor: Tensor) -> [UInt8] {
        tensor.values(0..<tensor.count).flatMap { value in
            (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
        }
    }

    private static func check(_ file: String, _ tensor: (String) throws -> WeightTensor) throws {
        let cases = try golden.get().filter { $0.file == file }
        #expect(!cases.isEmpty)
        for golden in cases {
            let found = try tensor(golden.name), values = try found.floats()
            #expect(found.shape == golden.shape, "\(golden.name)")
            #expect(Array(values.values(0..<min(3, values.count))) == golden.first, "\(golden.name)")
            #expect(Zlib.crc32(bytes(values)) == golden.crc32, "\(golden.name)")
        }
    }

    @Test("a checkpoint of torch.save has the values that were saved", arguments: ["plain.pt", "views.pt"])
    func values(name: String) throws {
        let file = try PyTorchFile(Self.fixture(name))
        #expect(
            file.dimensions
                == ModelDimensions(
                    nMels: 80, nAudioCtx: 1500, nAudioState: 2, nAudioHead: 1, nAudioLayer: 1, nVocab: 51_865,
                    nTextCtx: 64, nTextState: 2, nTextHead: 1, nTextLayer: 1))
        #expect(file.vocabulary == VocabularyFixture.multilingual99Vocabulary)
        #expect(file.alignmentHeads == nil && file.warnings.isEmpty)
        try Self.check(name, file.tensor)
        try file.verify()
        try file.checkUnchanged()
        let strided = try TensorShapes.all(file.dimensions).count { try file.tensor($0.name).strides != nil }
        #expect((strided > 0) == (name == "views.pt"))
        let backend = try ComputeOptions(backend: .openblas, computeType: .float32, threads: 2).makeBackend()
        #expect(try WhisperModel(file, backend: backend).warnings == [])
    }

    @Test("float32 tensors are found among objects and compressed entries, which a checkpoint may not have")
    func amongOthers() throws {
        func tensor(_ type: String, _ key: Int, strides: [Int] = [2, 1]) -> PickleItem {
            .tensor(storage: .storage(type, "\(key)", 4), offset: 0, sizes: [2, 2], strides: strides)
        }
        let made = PickleItem.bytes(
            PickleItem.global("elsewhere", "Settings").bytes + [0x29, 0x81]
                + PickleItem.dictionary([("a", .int(1))]).bytes + [0x62])
        let called = PickleItem.bytes(PickleItem.global("elsewhere", "f").bytes + [0x29, 0x52])
        var contents = PyTorchContents(GGMLContents(width: 2))
        contents.storages = [[UInt8](0..<16), [UInt8](repeating: 0, count: 32), [UInt8](16..<32)]
        let folder = try TemporaryFolder()
        func file(_ name: String, _ state: [(String, PickleItem)]) throws -> FilePath {
            contents.pickle = PickleItem.dictionary([("settings", made), ("state", .dictionary(state))]).pickled
            var zip = contents.zip
            var code = ZIPContents.Entry("tiny/code/model.py", [1, 2, 3])
            code.method = 8
            zip.entries.append(code)
            return try folder.write(zip.bytes, to: name)
        }
        let state = [
            ("b", tensor("FloatStorage", 2)), ("count", tensor("LongStorage", 1)), ("call", called),
            ("a", tensor("FloatStorage", 0)),
        ]
        let path = try file("tiny.pt", state)
        #expect(throws: ModelError.self) { try PyTorchStateDictionary(path) }
        let tensors = try PyTorchTensors(path).dictionary("state")
        #expect(tensors.map(\.name) == ["b", "a"] && tensors.map(\.shape) == [[2, 2], [2, 2]])
        #expect(tensors.map(\.bytes) == [[UInt8](16..<32), [UInt8](0..<16)])
        #expect(try PyTorchTensors(path).dictionary(nil).isEmpty)
        #expect(throws: ModelError.badCheckpoint(path: path, problem: "has no dictionary of tensors")) {
            try PyTorchTensors(path).dictionary("weights")
        }
        #expect(try PyTorchTensors(path).storage(2) == [UInt8](16..<32))
        #expect(throws: ModelError.badCheckpoint(path: path, problem: "has no storage 3")) {
            try PyTorchTensors(path).storage(3)
        }
        let turned = try file("turned.pt", [("a", tensor("FloatStorage", 0, strides: [1, 2]))])
        #expect(throws: ModelError.badTensor(path: turned, tensor: "a", problem: "is not contiguous")) {
            try PyTorchTensors(turned).dictionary("state")
        }
    }

    @Test("float16 views are read unconverted like ordinary tensors")
    func halves() throws {
        let file = try PyTorchFile(Self.fixture("views.pt"))
        // Chooses storage in float16 for the matrices; the reference keeps all numbers in float32.
        let found = try FormatFixture.logits(file, .auto), expected = try FormatFixture.logits(file, .reference)
        #expect(NetworkFixture.error(found, expected) < 1e-4)
    }

    @Test("a flat dictionary is read as a state dictionary, not as a checkpoint")
    func flat() throws {
        let path = Self.fixture("flat.bin"), state = try PyTorchStateDictionary(path)
        #expect(state.tensors.count == 2)
        try Self.check("flat.bin") { try #require(state.tensors[$0]) }
        try state.verify()
        try state.checkUnchanged()
        #expect(
            throws: ModelError.otherCheckpoint(path: path, keys: ["model.encoder.conv1.bias", "proj_out.weight"])
        ) { try PyTorchFile(path) }
    }

    @Test("a checkpoint has the weights and logits of the same model in ggml format", arguments: NetworkFixture.models)
    func sameModel(name: String) throws {
        let contents = GGMLContents([UInt8](try Data(contentsOf: Fixtures.url("models/ggml-\(name).bin"))))
        let folder = try TemporaryFolder()
        let path = try folder.write(PyTorchContents(contents).bytes, to: "\(name).pt")
        try PyTorchComparison(name: name, ggml: Self.model("models/ggml-\(name).bin"), pyTorch: path).check(
            window: NetworkFixture.window(name))
    }

    private static func model(_ name: String) -> FilePath { FilePath(Fixtures.url(name).path(percentEncoded: false)) }

    @Test("a storage whose bytes have changed is found by its checksum")
    func verify() throws {
        let folder = try TemporaryFolder()
        var bytes = try [UInt8](Data(contentsOf: Fixtures.url("pytorch/plain.pt")))
        let file = try PyTorchFile(folder.write(bytes))
        bytes[try file.tensor("decoder.token_embedding.weight").bytes.lowerBound + 1001] ^= 1
        let changed = try PyTorchFile(folder.write(bytes, to: "changed.pt"))
        let error = #expect(throws: ModelError.self) { try changed.verify() }
        #expect(error?.description.contains("does not match its checksum") == true)
    }

    @Test(
        "real checkpoints have the weights and logits of the same models in ggml format",
        .enabled(if: RealSpeech.models != nil, RealSpeech.reason), arguments: ["tiny.en", "base"])
    func realModel(name: String) throws {
        let folder = FilePath(try #require(RealSpeech.models).path)
        let comparison = PyTorchComparison(
            name: name, ggml: folder.appending("ggml-\(name).bin"), pyTorch: folder.appending("\(name).pt"))
        let bands = try PyTorchFile(comparison.pyTorch).dimensions.nMels
        try comparison.check(window: NetworkFixture.window(bands == 128 ? "micro-v3" : "micro.en"))
        try PyTorchFile(comparison.pyTorch).verify()
    }
}

/// Compares a checkpoint with a ggml file of the same model.
private struct PyTorchComparison {
    let name: String
    let ggml: FilePath
    let pyTorch: FilePath

    func check(window: [Float]) throws {
        let expected = try GGMLFile(ggml), found = try WhisperFiles.open(pyTorch)
        #expect(found is PyTorchFile)
        #expect(found.dimensions == expected.dimensions)
        let endOfText = SpecialTokens(vocabularySize: expected.vocabulary.size).endOfText
        #expect(found.vocabulary.pieces.prefix(endOfText) == expected.vocabulary.pieces.prefix(endOfText))
        for (tensor, shape) in TensorShapes.all(expected.dimensions) {
            let values = try found.tensor(tensor)
            #expect(values.shape == shape)
            // ggml files have some tensors in float32, the checkpoint all in float16, so the values are equal, not the bytes.
            let found = try values.floats(), stored = try expected.tensor(tensor).floats()
            #expect(found.values(0..<found.count) == stored.values(0..<stored.count), "\(tensor)")
        }
        #expect(try logits(found, window) == logits(expected, window))
    }

    private func logits(_ file: any WhisperFile, _ window: [Float]) throws -> [[Float]] {
        let backend = try ComputeOptions(backend: .auto, computeType: .float32, threads: 2).makeBackend()
        let model = try WhisperModel(file, backend: backend)
        let decoder = try TextDecoder(model, maxRows: 1)
        decoder.attend(to: try AudioEncoder(model).encode(window))
        let start = SpecialTokens(vocabularySize: file.vocabulary.size).startOfTranscript
        return try decoder.start([start, 400, 370], logitsAt: [0, 1, 2]).map { Array($0) }
    }
}
