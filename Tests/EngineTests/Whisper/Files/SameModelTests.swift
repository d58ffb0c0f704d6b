import Foundation
import Testing

@Suite("The same model in every format")
struct SameModelTests {
    @Test(
        "a ggml file, a CTranslate2 folder and a Hugging Face folder give the same weights and logits",
        arguments: ["micro.en", "micro-v3"])
    func micro(name: String) throws {
        let ggml = try WhisperFiles.open(FilePath(Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false)))
        let model = try PlainModel.micro(name)
        let vocabulary = name == "micro-v3" ? PrintableVocabulary.multilingual : .english
        let one = try TemporaryFolder(), two = try TemporaryFolder(), three = try TemporaryFolder()
        let four = try TemporaryFolder()
        try one.write(CTranslate2Contents(model), vocabulary: vocabulary)
        try HuggingFaceContents(model).write(to: two)
        try HuggingFaceContents(model).write(to: three, shards: ["a.safetensors", "b", "c.bin"])
        try HuggingFaceContents(model).write(
            to: four, shards: ["pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"], pyTorch: true)
        let expected = try FormatFixture.logits(ggml)
        for folder in [one, two, three, four] {
            let file = try WhisperFiles.open(folder.path)
            #expect(file.dimensions == ggml.dimensions && file.vocabulary.size == ggml.vocabulary.size)
            #expect(file.vocabulary.pieces == Array(ggml.vocabulary.pieces.prefix(file.vocabulary.pieces.count)))
            #expect(file.alignmentHeads == [AlignmentHead(layer: 0, head: 0)] && file.warnings == [])
            #expect(try FormatFixture.differences(ggml, file) == [])
            #expect(try FormatFixture.logits(file) == expected)
        }
    }

    @Test("models of every number format agree with float16 within the error of quantization")
    func quantized() throws {
        let folder = try FormatFixture.folder("ct2-float16")
        let half = try WhisperFiles.open(folder.path)
        let logits = try FormatFixture.logits(half)
        // Relative to the largest logit; the random weights double the error per layer.
        let bounds: [String: Float] = ["bfloat16": 0.05, "int16": 0.02]
        for name in FormatFixture.quantizations.map({ "ct2-" + $0 }) + ["hf-sharded"] {
            let folder = try FormatFixture.folder(name)
            let file = try WhisperFiles.open(folder.path)
            #expect(file.dimensions == half.dimensions)
            #expect(file.alignmentHeads == [AlignmentHead(layer: 0, head: 1)])
            let found = try FormatFixture.logits(file)
            if ["ct2-float32", "ct2-float16", "hf-sharded"].contains(name) {
                #expect(try FormatFixture.differences(file, half) == [])
                #expect(found == logits, "\(name)")
            } else {
                let bound = bounds[String(name.dropFirst(4))] ?? 0.1
                #expect(NetworkFixture.error(found, logits) <= bound, "\(name)")
                try checkRounding(file, half, String(name.dropFirst(4)))
            }
        }
    }

    /// Checks each weight against half a step of its format.
    private func checkRounding(_ file: any WhisperFile, _ exact: any WhisperFile, _ type: String) throws {
        for (name, shape) in TensorShapes.all(file.dimensions) {
            let found = try FormatFixture.values(file, name), expected = try FormatFixture.values(exact, name)
            let isMatrix = name.hasSuffix(".weight") && shape.count > 1
            let row = shape.count > 1 ? shape.dropFirst().reduce(1, *) : expected.count
            // The scale of a stack of projections follows from all of them.
            let stack =
                try ["query", "key", "value"].filter { name.contains(".\($0).") }.isEmpty
                ? expected
                : ["query", "key", "value"].flatMap { part in
                    let group = name.split(separator: ".").dropLast(2).joined(separator: ".")
                    return try FormatFixture.values(exact, "\(group).\(part).weight")
                }
            let maximum = stack.map(abs).max() ?? 0
            for start in stride(from: 0, to: expected.count, by: row) {
                let range = start..<(start + row)
                let rowMaximum = expected[range].map(abs).max() ?? 0
                for i in range {
                    let step: Float =
                        switch type {
                        case "bfloat16": abs(expected[i]) / 128
                        case "int16": isMatrix ? maximum / 1024 : 0
                        default: isMatrix ? rowMaximum / 127 : type.hasSuffix("bfloat16") ? abs(expected[i]) / 128 : 0
                        }
                    if abs(found[i] - expected[i]) > step * 0.5001 {
                        Issue.record("\(type) \(name) \(i): \(found[i]), expected \(expected[i]) ± \(step / 2)")
                        return
                    }
                }
            }
        }
    }

    @Test("integers are multiplied with the reciprocal of their scale, bit for bit as CTranslate2 does")
    func dequantized() throws {
        let expected: [String: [String: [[Float]]]] = try Fixtures.json("formats/dequantized.json")
        #expect(expected.count == 4)
        let names = [
            "encoder/layer_1/self_attention/linear_0": ["query", "key", "value"].map { "encoder.blocks.1.attn." + $0 },
            "decoder/layer_0/attention/linear_1": ["key", "value"].map { "decoder.blocks.0.cross_attn." + $0 },
            "decoder/layer_0/ffn/linear_1": ["decoder.blocks.0.mlp.2"],
        ]
        for (type, variables) in expected {
            let folder = try FormatFixture.folder("ct2-" + type)
            let file = try WhisperFiles.open(folder.path("model.bin"))
            for (variable, rows) in variables {
                let found = try (names[variable] ?? []).flatMap { try FormatFixture.values(file, $0 + ".weight") }
                #expect(found == rows.flatMap(\.self), "\(type) \(variable)")
            }
        }
    }

    @Test(
        "safetensors of float64, float32, float16 and bfloat16 numbers are read alike",
        arguments: ["F64", "F32", "BF16"])
    func numberFormats(type: String) throws {
        let model = PlainModel.tiny(), folder = try TemporaryFolder(), other = try TemporaryFolder()
        var contents = HuggingFaceContents(model)
        for (index, tensor) in contents.tensors.enumerated() {
            // Values that every format represents.
            let count = tensor.shape.reduce(1, *)
            let values = (0..<count).map { Float(($0 * 7 + index) % 64 - 32) / 16 }
            contents.tensors[index].type = "F32"
            contents.tensors[index].data = Quantizer.bytes(values, as: .f32)
        }
        try contents.write(to: folder, tokenizer: false)
        try PrintableVocabulary.english.tokenizer().write(to: folder.url.appending(path: "tokenizer.json"))
        let expected = try WhisperFiles.open(folder.path)
        for (index, tensor) in contents.tensors.enumerated() {
            let values = stride(from: 0, to: tensor.data.count, by: 4).map { at in
                Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(tensor.data[at + $1]) << UInt32(8 * $1) })
            }
            contents.tensors[index].type = type
            contents.tensors[index].data =
                switch type {
                case "F64":
                    values.flatMap { value in
                        (0..<8).map { UInt8(truncatingIfNeeded: Double(value).bitPattern >> (8 * $0)) }
                    }
                case "BF16": Quantizer.bytes(values, as: .bf16)
                default: tensor.data
                }
        }
        try contents.write(to: other)
        #expect(try FormatFixture.differences(expected, WhisperFiles.open(other.path)) == [])
    }

    @Test("a distilled model loads, and heads of layers that it lacks are dropped", arguments: [1, 2, 4])
    func distilled(layers: Int) throws {
        let folder = try TemporaryFolder()
        var contents = HuggingFaceContents(.tiny(decoderLayers: layers))
        contents.generation?["alignment_heads"] = [[layers - 1, 0], [0, 1], [layers, 0], [10, 3]]
        try contents.write(to: folder)
        let file = try WhisperFiles.open(folder.path)
        #expect(file.dimensions.nTextLayer == layers && file.dimensions.nAudioLayer == 1)
        #expect(file.alignmentHeads == [AlignmentHead(layer: layers - 1, head: 0)])
        #expect(
            file.warnings == [.alignmentHeadsDropped(path: folder.path("generation_config.json"), count: 3)])
        #expect(file.warnings.allSatisfy { $0.isDetail })
        #expect(try FormatFixture.logits(file).count == 51_864)
    }

    @Test("a model with fewer decoder layers than encoder layers is the same in every format", arguments: [1, 2])
    func fewerDecoderLayers(count: Int) throws {
        let contents = GGMLContents(width: 2, encoderLayers: 3, decoderLayers: count)
        let model = PlainModel.tiny(encoderLayers: 3, decoderLayers: count)
        let folder = try TemporaryFolder(), other = try TemporaryFolder()
        let ggml = try WhisperFiles.open(folder.write(contents.bytes, to: "ggml.bin"))
        let pyTorch = try WhisperFiles.open(folder.write(PyTorchContents(contents).bytes, to: "tiny.pt"))
        let cTranslate2 = try WhisperFiles.open(folder.write(CTranslate2Contents(model), settings: "{}"))
        try HuggingFaceContents(model).write(to: other)
        let expected = try FormatFixture.logits(ggml)
        for file in [pyTorch, cTranslate2, try WhisperFiles.open(other.path)] {
            #expect(file.dimensions == ggml.dimensions && file.dimensions.nTextLayer == count)
            #expect(try FormatFixture.differences(ggml, file) == [])
            #expect(try FormatFixture.logits(file) == expected)
        }
    }
}

/// OpenAI's own weights, in the folder that the environment variable WHISPER_LOCAL_TEST_MODELS names.
@Suite("The same real model in every format")
struct RealFormatTests {
    @Test(
        "ggml, CTranslate2 and Hugging Face give equal weights, vocabularies and logits",
        .enabled(if: RealSpeech.models != nil, RealSpeech.reason), arguments: ["tiny.en", "base"])
    func equal(name: String) throws {
        let folder = FilePath(try #require(RealSpeech.models).path)
        let ggml = try WhisperFiles.open(folder.appending("ggml-\(name).bin"))
        let expected = try FormatFixture.logits(ggml)
        for path in ["ct2-\(name)", "hf-\(name)", "ct2-\(name)/model.bin", "hf-\(name)/model.safetensors"] {
            let file = try WhisperFiles.open(folder.appending(path))
            #expect(file.dimensions == ggml.dimensions)
            let count = SpecialTokens(vocabularySize: ggml.dimensions.nVocab).endOfText
            #expect(file.vocabulary.pieces.count == count)
            #expect(file.vocabulary.pieces.elementsEqual(ggml.vocabulary.pieces.prefix(count)))
            #expect(file.alignmentHeads == AlignmentHeads.heads(of: ggml.dimensions) && file.warnings == [])
            guard !path.contains("/") else { continue }
            #expect(try FormatFixture.differences(ggml, file) == [])
            #expect(try FormatFixture.logits(file) == expected)
        }
    }
}
