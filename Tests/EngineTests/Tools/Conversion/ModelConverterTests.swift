import Foundation
import Testing

@Suite("Model conversion")
struct ModelConverterTests {
    static let types: [ElementType] = [.f32, .f16, .bf16, .q8_0, .q5_0, .q5_1, .q4_0, .q4_1]

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func fixture(_ name: String) -> FilePath {
        FilePath(Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false))
    }

    private static func bytes(_ path: FilePath) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: String(decoding: path.bytes, as: UTF8.self))))
    }

    /// Converts to a new file in the folder.
    @discardableResult
    private func convert(
        _ input: any WhisperFile, to type: ElementType, name: String = "out.bin", replaces: Bool = false
    ) throws -> (path: FilePath, report: ConversionReport) {
        let path = folder.path(name)
        let backend = try ComputeOptions(backend: .openblas, threads: 2).makeBackend()
        return (path, try ModelConverter(input, matrices: type).write(to: path, replaces: replaces, by: backend))
    }

    @Test("a float16 model is copied byte for byte", arguments: ["micro.en", "micro-v3"])
    func copy(name: String) throws {
        let input = Self.fixture(name)
        let (path, report) = try convert(GGMLFile(input), to: .f16)
        #expect(try Self.bytes(path) == Self.bytes(input))
        #expect(report.bytesBefore == report.bytesAfter)
        #expect(report.groups.allSatisfy { $0.from == $0.to && $0.error.largest == 0 })
    }

    @Test(
        "a converted model equals one assembled from the format's definition, and has the expected size",
        arguments: types,
        ["micro.en", "micro-v3"])
    func bytes(type: ElementType, name: String) throws {
        let input = try GGMLFile(Self.fixture(name))
        let (path, report) = try convert(input, to: type)
        let bytes = try Self.bytes(path)
        #expect(try bytes == GGMLContents(Self.bytes(input.path)).converted(to: type).bytes)
        let size = GGMLSize.file(input.dimensions, matrices: type, vocabulary: input.vocabulary.pieces)
        #expect(bytes.count == size && report.bytesAfter == size)
        #expect(try report.bytesBefore == Self.bytes(input.path).count)
        #expect(report.groups.reduce(0) { $0 + $1.tensors } == TensorShapes.all(input.dimensions).count)
        let matrices = try #require(report.groups.first { $0.to == type && $0.from == .f16 })
        #expect((matrices.error.largest == 0) == (type == .f16 || type == .f32))
    }

    @Test("converting a model to its own format again changes nothing", arguments: types)
    func again(type: ElementType) throws {
        let (first, _) = try convert(GGMLFile(Self.fixture("micro.en")), to: type, name: "first.bin")
        let (second, _) = try convert(GGMLFile(first), to: type, name: "second.bin")
        #expect(try Self.bytes(first) == Self.bytes(second))
        #expect(try ModelConverter(GGMLFile(first), matrices: type).warnings.isEmpty)
    }

    struct Tokens: Decodable {
        let tokens: [Int]
    }

    @Test("the logits of a converted model are within the precision of its format")
    func logits() throws {
        let tokens = try Fixtures.json("model/micro.en/decoder.json", as: Tokens.self).tokens
        let window = try NetworkFixture.window("micro.en")
        func logits(_ path: FilePath) throws -> [Float] {
            let model = try WhisperModel(
                try GGMLFile(path), backend: try ComputeOptions(backend: .openblas, threads: 1).makeBackend())
            let decoder = try TextDecoder(model, maxRows: 1)
            decoder.attend(to: try AudioEncoder(model).encode(window))
            return try decoder.start(tokens, logitsAt: Array(tokens.indices)).flatMap { $0 }
        }
        // Random weights have no structure, so each bit less doubles the error.
        let bounds: [ElementType: Float] = [
            .f32: 0, .f16: 0, .bf16: 0.02, .q8_0: 0.03, .q5_1: 0.2, .q5_0: 0.2, .q4_1: 0.4, .q4_0: 0.4,
        ]
        let input = try GGMLFile(Self.fixture("micro.en"))
        let expected = try logits(input.path)
        for type in Self.types {
            let error = NetworkFixture.error(try logits(try convert(input, to: type, replaces: true).path), expected)
            #expect(error <= (bounds[type] ?? 0), "\(type)")
            #expect((error == 0) == (type == .f32 || type == .f16), "\(type)")
        }
    }

    /// A model that is not a ggml file, with the pieces that other formats have.
    private struct OtherFormat: WhisperFile {
        let file: GGMLFile
        let vocabulary: Vocabulary
        var alignmentHeads: [AlignmentHead]?

        init(_ file: GGMLFile) {
            self.file = file
            vocabulary = Vocabulary(
                pieces: Array(file.vocabulary.pieces.prefix(50_256)), size: file.vocabulary.size)
        }

        var path: FilePath { file.path }
        var dimensions: ModelDimensions { file.dimensions }
        var tensors: [String: WeightTensor] { file.tensors }
        var format: String { "other" }
    }

    @Test(
        "from other formats, the vocabulary is that of the published files and tensors are in the order of the state dictionary",
        arguments: [("micro.en", "<|endoftext|>"), ("micro-v3", "")])
    func otherFormats(name: String, last: String) throws {
        var contents = GGMLContents(try Self.bytes(Self.fixture(name)))
        let names = contents.records.map(\.name)
        contents.records.reverse()
        let reversed = try GGMLFile(folder.write(contents.bytes))
        let kept = GGMLContents(try Self.bytes(try convert(reversed, to: .f16, name: "kept.bin").path))
        #expect(kept.records.map(\.name) == names.reversed())
        #expect(kept.pieces == contents.pieces)
        let made = GGMLContents(try Self.bytes(try convert(OtherFormat(reversed), to: .f16, name: "made.bin").path))
        #expect(made.records.map(\.name) == names)
        #expect(made.pieces == contents.pieces.prefix(50_256) + [Array(last.utf8)])
    }

    @Test("what gets lost is reported in advance")
    func warnings() throws {
        let input = try GGMLFile(Self.fixture("micro.en"))
        #expect(try ModelConverter(input, matrices: .q4_0).warnings.isEmpty)
        let quantized = try GGMLFile(try convert(input, to: .q5_0).path)
        #expect(
            try ModelConverter(quantized, matrices: .q8_0).warnings == [
                .alreadyQuantized(path: quantized.path, from: .q5_0, to: .q8_0)
            ])
        #expect(
            try ModelConverter(quantized, matrices: .f16).warnings == [
                .alreadyQuantized(path: quantized.path, from: .q5_0, to: .f16)
            ])
        var other = OtherFormat(input)
        other.alignmentHeads = AlignmentHeads.heads(of: input.dimensions).reversed()
        #expect(try ModelConverter(other, matrices: .f16).warnings.isEmpty)
        other.alignmentHeads = [AlignmentHead(layer: 0, head: 1)]
        #expect(try ModelConverter(other, matrices: .f16).warnings == [.alignmentHeads(path: input.path)])
    }

    @Test("an existing file is replaced only on request, and the input never")
    func existing() throws {
        let bytes = try Self.bytes(Self.fixture("micro.en"))
        let input = try GGMLFile(folder.write(bytes))
        try folder.create("out.bin")
        #expect(throws: ConversionError.exists(folder.path("out.bin"))) { try convert(input, to: .q8_0) }
        #expect(folder.text("out.bin") == "old")
        try convert(input, to: .q8_0, replaces: true)
        #expect(try GGMLFile(folder.path("out.bin")).tensor("decoder.token_embedding.weight").type == .q8_0)
        try folder.link("link.bin", to: "model.bin")
        try FileManager.default.linkItem(
            at: folder.url.appending(path: "model.bin"), to: folder.url.appending(path: "hard.bin"))
        for name in ["model.bin", "link.bin", "hard.bin"] {
            let path = folder.path(name)
            #expect(throws: OutputError.overwritesInput(output: path, input: input.path)) {
                try convert(input, to: .q8_0, name: name, replaces: true)
            }
        }
        #expect(try Self.bytes(input.path) == bytes)
        #expect(try folder.names == ["hard.bin", "link.bin", "model.bin", "out.bin"])
    }

    @Test(
        "weights that the format cannot store leave no file",
        arguments: [
            (ElementType.f16, Float(70_000)), (.q8_0, 1e7), (.q4_1, -70_000), (.f32, .nan), (.bf16, .infinity),
        ])
    func unstorable(type: ElementType, value: Float) throws {
        let original = GGMLContents(try Self.bytes(Self.fixture("micro.en")))
        var contents = original.converted(to: .f32)
        let name = "decoder.blocks.1.mlp.2.weight", index = 100
        contents[name].data.replaceSubrange(400..<404, with: Quantizer.bytes([value], as: .f32))
        let input = try GGMLFile(folder.write(contents.bytes))
        if value.isFinite {
            let reported = index / type.blockLength * type.blockLength
            #expect(
                throws: ConversionError.outOfRange(path: input.path, tensor: name, index: reported, type: type)
            ) { try convert(input, to: type) }
        } else {
            #expect(throws: ModelError.notFinite(path: input.path, tensor: name, index: index)) {
                try convert(input, to: type)
            }
        }
        #expect(try folder.names == ["model.bin"])
        // Vectors stay float32, so their range does not matter.
        var vectors = original.converted(to: .f32)
        vectors["decoder.ln.bias"].data.replaceSubrange(0..<4, with: Quantizer.bytes([1e9], as: .f32))
        try convert(GGMLFile(folder.write(vectors.bytes)), to: type)
    }

    @Test("rows that cannot be divided into blocks are rejected before anything is written", arguments: types)
    func oddRows(type: ElementType) throws {
        let input = try GGMLFile(folder.write(GGMLContents(width: 40).bytes))
        if type.blockLength == 1 {
            try convert(input, to: type)
            #expect(try folder.names == ["model.bin", "out.bin"])
        } else {
            let tensor = "encoder.blocks.0.attn.query.weight"
            #expect(throws: ConversionError.oddRow(path: input.path, tensor: tensor, row: 40, type: type)) {
                try convert(input, to: type)
            }
            #expect(try folder.names == ["model.bin"])
        }
    }

    @Test("a model that changes during the conversion is rejected")
    func changed() throws {
        let input = try GGMLFile(folder.write(try Self.bytes(Self.fixture("micro.en"))))
        let handle = try FileHandle(forWritingTo: folder.url.appending(path: "model.bin"))
        #expect(throws: ModelError.changedWhileRead(path: input.path)) {
            _ = try ModelConverter(input, matrices: .q8_0).write(to: folder.path("out.bin")) { done, total in
                if done == total / 2 { try? handle.truncate(atOffset: 1_000_000) }
            }
        }
        #expect(try folder.names == ["model.bin"])
    }

    @Test("outputs that cannot be created are rejected")
    func impossible() throws {
        let input = try GGMLFile(Self.fixture("micro.en"))
        try folder.createFolder("folder")
        #expect(throws: OutputError.folderMissing(folder.path("none"))) {
            try convert(input, to: .f16, name: "none/out.bin")
        }
        #expect(throws: OutputError.outputIsFolder(folder.path("folder"))) {
            try convert(input, to: .f16, name: "folder", replaces: true)
        }
        #expect(try folder.names == ["folder"])
    }

    @Test(
        "tiny.en is copied byte for byte, and its quantized sizes are those of the published files",
        .enabled(if: RealSpeech.models != nil, RealSpeech.reason),
        arguments: [(ElementType.f16, 77_704_715), (.q5_0, 29_889_227), (.q5_1, 32_166_155), (.q8_0, 43_550_795)])
    func real(type: ElementType, size: Int) throws {
        let input = try GGMLFile(FilePath(try #require(RealSpeech.models).path).appending("ggml-tiny.en.bin"))
        let (path, report) = try convert(input, to: type)
        #expect(report.bytesAfter == size)
        if type == .f16 { #expect(try Self.bytes(path) == Self.bytes(input.path)) }
    }
}
