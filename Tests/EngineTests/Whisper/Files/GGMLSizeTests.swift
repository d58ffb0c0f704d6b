import Foundation
import Testing

/// Checks the size formula against whisper.cpp's published files.
@Suite("Sizes of ggml files")
struct GGMLSizeTests {
    struct Published: Sendable, CustomTestStringConvertible {
        let name: String
        let width: Int
        let encoderLayers: Int
        let decoderLayers: Int
        let vocabularySize: Int
        let bands: Int
        /// In bytes, for F16, Q5_0, Q5_1 and Q8_0.
        let sizes: [Int]
        var testDescription: String { name }

        init(_ name: String, _ numbers: [Int], _ sizes: [Int]) {
            self.name = name
            (width, encoderLayers, decoderLayers) = (numbers[0], numbers[1], numbers[2])
            (vocabularySize, bands) = (numbers[3], numbers[4])
            self.sizes = sizes
        }

        var dimensions: ModelDimensions {
            ModelDimensions(
                nMels: bands, nAudioCtx: 1500, nAudioState: width, nAudioHead: width / 64, nAudioLayer: encoderLayers,
                nVocab: vocabularySize, nTextCtx: 448, nTextState: width, nTextHead: width / 64,
                nTextLayer: decoderLayers)
        }
    }

    static let models = [
        Published("tiny", [384, 4, 4, 51_865, 80], [77_691_713, 29_875_721, 32_152_673, 43_537_433]),
        Published("tiny.en", [384, 4, 4, 51_864, 80], [77_704_715, 29_889_227, 32_166_155, 43_550_795]),
        Published("base", [512, 6, 6, 51_865, 80], [147_951_465, 55_295_433, 59_707_625, 81_768_585]),
        Published("base.en", [512, 6, 6, 51_864, 80], [147_964_211, 55_308_851, 59_721_011, 81_781_811]),
        Published("small", [768, 12, 12, 51_865, 80], [487_601_967, 175_209_663, 190_085_487, 264_464_607]),
        Published("small.en", [768, 12, 12, 51_864, 80], [487_614_201, 175_222_905, 190_098_681, 264_477_561]),
        Published("medium", [1024, 24, 24, 51_865, 80], [1_533_763_059, 539_212_467, 586_572_019, 823_369_779]),
        Published("medium.en", [1024, 24, 24, 51_864, 80], [1_533_774_781, 539_225_533, 586_585_021, 823_382_461]),
        Published(
            "large-v2", [1280, 32, 32, 51_865, 80], [3_094_623_691, 1_080_732_091, 1_176_631_691, 1_656_129_691]),
        Published(
            "large-v3", [1280, 32, 32, 51_866, 128], [3_095_033_483, 1_081_140_203, 1_177_039_883, 1_656_538_283]),
        Published(
            "large-v3-turbo", [1280, 32, 4, 51_866, 128], [1_624_555_275, 574_041_195, 624_065_675, 874_188_075]),
    ]

    @Test("computed sizes equal those of the published models", arguments: models)
    func published(model: Published) {
        // The English-only files list the end of text as their last piece, the others have an empty one.
        let vocabulary =
            model.vocabularySize == 51_864
            ? VocabularyFixture.englishVocabulary.pieces.prefix(50_256) + [Array("<|endoftext|>".utf8)]
            : VocabularyFixture.multilingual99Vocabulary.pieces.prefix(50_256) + [[]]
        let types: [ElementType] = [.f16, .q5_0, .q5_1, .q8_0]
        let sizes = types.map { GGMLSize.file(model.dimensions, matrices: $0, vocabulary: Array(vocabulary)) }
        #expect(sizes == model.sizes)
    }

    @Test("computed sizes equal those of the fixtures", arguments: ["micro.en", "micro-v3"])
    func fixtures(name: String) throws {
        let url = Fixtures.url("models/ggml-\(name).bin")
        let file = try GGMLFile(FilePath(url.path(percentEncoded: false)))
        let size = GGMLSize.file(file.dimensions, matrices: .f16, vocabulary: file.vocabulary.pieces)
        #expect(try Data(contentsOf: url).count == size)
    }

    @Test("a model needs more memory than its float32 weights, but less than twice that plus 100 MB")
    func memory() throws {
        for model in Self.models {
            let weights = 4 * TensorShapes.all(model.dimensions).reduce(0) { $0 + $1.shape.reduce(1, *) }
            let needs = MemoryEstimate.bytes(for: model.dimensions)
            #expect(needs > weights && needs < 2 * weights + 100_000_000, "\(model.name)")
        }
    }
}
