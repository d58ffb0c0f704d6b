import Foundation
import Testing

@Suite("Damaged CTranslate2 models")
struct CTranslate2DamageTests {
    static let good = CTranslate2Contents(.tiny())

    /// The error of a model after a change, and the path of its weights.
    private func error(_ change: (inout CTranslate2Contents) -> Void) throws -> (error: ModelError?, path: FilePath) {
        let folder = try TemporaryFolder()
        var contents = Self.good
        change(&contents)
        let path = try folder.write(contents)
        return (try FormatFixture.open(folder.path), path)
    }

    @Test("an intact model opens by its folder and by its weights")
    func intact() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.good)
        for path in [folder.path, path] { #expect(try WhisperFiles.open(path).dimensions.nAudioState == 2) }
    }

    @Test("a file truncated anywhere outside its data is rejected, with any number of bytes of data missing too")
    func truncated() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.good)
        let bytes = Self.good.bytes
        let ends = Set(Self.good.controlRanges.flatMap { Array($0) + [$0.upperBound + 1] })
        let handle = try FileHandle(forUpdating: folder.url.appending(path: "model.bin"))
        for count in ends.sorted(by: >) where count < bytes.count {
            try handle.truncate(atOffset: UInt64(count))
            guard let error = try FormatFixture.open(folder.path) else {
                Issue.record("\(count) bytes")
                continue
            }
            #expect(error.description.contains(path.description) && error.category == .data)
        }
        try folder.write(bytes + [0])
        #expect(
            try FormatFixture.open(folder.path) == .trailingBytes(path: path, count: 1, offset: bytes.count))
    }

    @Test("other versions, architectures and revisions are rejected by name")
    func header() throws {
        let changes: [((inout CTranslate2Contents) -> Void, String)] = [
            ({ $0.version = 5 }, "format version 5, expected 6"),
            ({ $0.specification = "TransformerSpec" }, "of type TransformerSpec"),
            ({ $0.revision = 4 }, "revision 4, expected 3"),
        ]
        for (change, part) in changes {
            let error = try error(change).error
            #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
    }

    @Test("wrong counts, lengths, shapes and types are rejected")
    func records() throws {
        let name = "encoder/layer_0/ffn/linear_0/weight"
        let changes: [((inout CTranslate2Contents) -> Void, (FilePath) -> ModelError?)] = [
            (
                { $0.count = 1 << 31 },
                { .badField(path: $0, field: "the number of variables", found: 1 << 31, expected: "at most 100000") }
            ),
            ({ $0.count = Self.good.variables.count + 1 }, { _ in nil }),
            ({ $0[name].length = 1 << 31 }, { _ in nil }),
            ({ $0[name].shape = [4, 4] }, { .wrongShape(path: $0, tensor: name, expected: [8, 2], found: [4, 4]) }),
            ({ $0[name].shape = [2, 8] }, { .wrongShape(path: $0, tensor: name, expected: [8, 2], found: [2, 8]) }),
            ({ $0[name].shape = [Int](repeating: 0xffff_ffff, count: 8) }, { _ in nil }),
            ({ $0[name].shape = [Int](repeating: 1, count: 9) }, { _ in nil }),
            ({ $0[name].type = 9 }, { .unsupportedType(path: $0, tensor: name, type: "type 9") }),
            ({ $0.variables.remove(at: 3) }, { _ in nil }),
            (
                { $0.variables.append($0.variables[3]) },
                {
                    .duplicateTensor(path: $0, name: Self.good.variables[3].name)
                }
            ),
            (
                { $0[name].name = "encoder/layer_0/ffn/linear_2/weight" },
                {
                    .missingTensors(path: $0, names: [name])
                }
            ),
            ({ $0.variables.append(.init(name: "extra", shape: [1], type: 0, data: [0, 0, 0, 0])) }, { _ in nil }),
            ({ $0.aliases = [("a", "b")] }, { .missingTensors(path: $0, names: ["b"]) }),
            (
                { $0.aliases.append(("encoder/conv1/bias", "encoder/conv2/bias")) },
                {
                    .duplicateTensor(path: $0, name: "encoder/conv1/bias")
                }
            ),
            (
                { $0["encoder/num_heads"].data = [0, 0] },
                {
                    .badField(path: $0, field: "n_audio_head", found: 0, expected: "1 to 2")
                }
            ),
            (
                { $0["encoder/num_heads"].data = [0xff, 0xff] },
                {
                    .badField(path: $0, field: "n_audio_head", found: -1, expected: "1 to 2")
                }
            ),
            (
                { $0["decoder/activation"].data = [0] },
                {
                    .badField(path: $0, field: "decoder/activation", found: 0, expected: "3")
                }
            ),
        ]
        for (index, (change, expected)) in changes.enumerated() {
            let (error, path) = try error(change)
            #expect(error != nil, "change \(index)")
            if let expected = expected(path) { #expect(error == expected, "change \(index)") }
        }
    }

    @Test("integers need scales that fit, and are read with one for all rows or one for each")
    func scales() throws {
        let name = "encoder/layer_0/ffn/linear_0/weight"
        func integers(_ scales: [Float], shape: [Int]) -> (inout CTranslate2Contents) -> Void {
            { contents in
                contents[name].type = 1
                contents[name].data = (0..<16).map { UInt8(bitPattern: Int8($0 - 8)) }
                contents.variables.append(
                    .init(name: name + "_scale", shape: shape, type: 0, data: Quantizer.bytes(scales, as: .f32)))
            }
        }
        func values(_ change: (inout CTranslate2Contents) -> Void) throws -> [Float] {
            let folder = try TemporaryFolder()
            var contents = Self.good
            change(&contents)
            let file = try WhisperFiles.open(folder.write(contents))
            return try FormatFixture.values(file, "encoder.blocks.0.mlp.0.weight")
        }
        #expect(try values(integers([4], shape: [])) == (0..<16).map { Float($0 - 8) / 4 })
        let scales = (0..<8).map { Float(1 << $0) }
        #expect(try values(integers(scales, shape: [8])) == (0..<16).map { Float($0 - 8) / scales[$0 / 2] })
        for scale: Float in [0, .infinity, .nan] {
            #expect(throws: ModelError.self) {
                try values(integers([scale] + scales.dropFirst(), shape: [8]))
            }
        }
        let (wrong, path) = try error(integers([1, 1], shape: [2]))
        #expect(wrong == .wrongShape(path: path, tensor: name + "_scale", expected: [8], found: [2]))
        let (missing, other) = try error {
            $0[name].type = 1; $0[name].data.removeLast(16)
        }
        #expect(missing == .missingTensors(path: other, names: [name + "_scale"]))
    }

    @Test("a separate output projection must equal the token embedding")
    func projection() throws {
        let embedding = Self.good["decoder/embeddings/weight"]
        let own = CTranslate2Contents.Variable(
            name: "decoder/projection/weight", shape: embedding.shape, type: embedding.type, data: embedding.data)
        #expect(
            try error {
                $0.aliases = []; $0.variables.append(own)
            }.error == nil)
        let (error, path) = try error {
            $0.aliases = []
            $0.variables.append(own)
            $0["decoder/projection/weight"].data[100_000] ^= 1
        }
        #expect(error == .untiedOutput(path: path, tensor: "decoder/projection/weight"))
    }

    @Test("the vocabulary is read from a list or a tokenizer, and must fit")
    func vocabulary() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.good)
        let text = folder.url.appending(path: "vocabulary.txt"), words = PrintableVocabulary.english
        let expected = VocabularyFixture.englishVocabulary
        #expect(try WhisperFiles.open(path).vocabulary == expected)
        try FileManager.default.removeItem(at: text)
        guard case .missingFiles(folder.path, _, "the vocabulary") = try FormatFixture.open(path) else {
            Issue.record("no vocabulary")
            return
        }
        try words.tokenizer().write(to: folder.url.appending(path: "tokenizer.json"))
        #expect(try WhisperFiles.open(path).vocabulary == expected)
        try words.list.write(to: folder.url.appending(path: "vocabulary.json"))
        #expect(try WhisperFiles.open(path).vocabulary == expected)
        // As in the published English models.
        var former = words
        former.texts[50_278] = "<|iw|>"
        former.texts[50_361] = "<|nocaptions|>"
        try former.lines.write(to: text)
        #expect(try WhisperFiles.open(path).vocabulary == expected)
        for (change, part) in [
            ({ $0.texts.removeLast() }, "has 51863 tokens, expected the model's 51864"),
            ({ $0.texts[7] = "a b" }, "has token 7 with a character outside the byte alphabet"),
            ({ $0.texts[0] = "a" }, "lacks some of the 256 single bytes"),
            ({ $0.texts[50_257] = "<|endoftext|>" }, "has '<|endoftext|>' with the ID 50257, expected"),
        ] as [((inout PrintableVocabulary) -> Void, String)] {
            var changed = words
            change(&changed)
            try changed.lines.write(to: text)
            let error = try FormatFixture.open(path)
            #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
    }

    @Test("settings that do not fit are rejected, and heads that the decoder lacks are dropped")
    func settings() throws {
        let folder = try TemporaryFolder()
        func open(_ settings: String) throws -> ModelError? {
            try folder.write(Self.good, settings: settings)
            return try FormatFixture.open(folder.path)
        }
        #expect(try open("{").map { "\($0)" }?.contains("config.json has a member without a name") == true)
        #expect(try open(#"{"alignment_heads": [[0]]}"#)?.description.contains("alignment_heads is a list") == true)
        #expect(try open("{}") == nil)
        #expect(try open(#"{"alignment_heads": [[0, 0], [1, 0]]}"#) == nil)
        let file = try WhisperFiles.open(folder.path)
        #expect(file.alignmentHeads == [AlignmentHead(layer: 0, head: 0)])
        #expect(file.warnings == [.alignmentHeadsDropped(path: folder.path("config.json"), count: 1)])
        try folder.create("preprocessor_config.json", #"{"feature_size": 128}"#)
        #expect(
            try FormatFixture.open(folder.path)
                == .badSetting(
                    path: folder.path("preprocessor_config.json"), key: "feature_size", found: "128",
                    expected: "the model's 80"))
    }
}
