import EngineWhisper
import Foundation
import Testing

@Suite("Parakeet in whisper.cpp's format")
struct ParakeetGGMLTests {
    private static func path(_ kind: String) -> FilePath {
        FilePath(Fixtures.url("parakeet/tdt/ggml-\(kind).bin").path(percentEncoded: false))
    }

    private static func model(_ file: any ParakeetFile) throws -> ParakeetModel {
        try ParakeetModel.load(file, options: ComputeOptions(computeType: .float32, threads: 2))
    }

    @Test("float16 gives the same numbers as the Hugging Face folder, 8 bits come close", arguments: ["f16", "q8_0"])
    func same(kind: String) throws {
        let fixture = ParakeetFixture.all[0], folder = try ParakeetFolder(fixture.folder)
        #expect(ParakeetGGMLFile.recognizes(Self.path(kind)))
        let file = try ParakeetGGMLFile(Self.path(kind))
        #expect(file.dimensions == folder.dimensions && file.vocabulary.pieces == folder.vocabulary.pieces)
        var encoded: [[Float]] = [], predicted: [[Float]] = []
        for model in try [Self.model(folder), Self.model(file)] {
            let frames = try ParakeetEncoder(model).encode(fixture.features(model))
            encoded.append(frames.values)
            let network = try #require(try TransducerNetwork(model)), state = try network.makeState()
            network.hear(frames)
            network.predict(model.dimensions.blank, after: nil, into: state)
            network.predict(68, after: state, into: state)
            var scores: [Float] = []
            network.scores(at: 3, after: state, into: &scores)
            predicted.append(scores)
        }
        let tolerance: Float = kind == "f16" ? 1e-6 : 0.2
        #expect(greatestDifference(encoded[0], encoded[1]) <= tolerance)
        #expect(greatestDifference(predicted[0], predicted[1]) <= 5 * tolerance)
    }

    @Test("Whisper's files are not of this family, and these are found by their content")
    func recognition() throws {
        #expect(!ParakeetGGMLFile.recognizes(ParakeetFixture.all[0].folder))
        #expect(!ParakeetGGMLFile.recognizes(FilePath("/nowhere")))
        #expect(throws: ModelError.self) { _ = try WhisperFiles.open(Self.path("f16")) }
        let stored = try ModelFamilies.open(Self.path("f16"))
        #expect(stored.traits.family == "Parakeet" && stored.format == "ggml" && stored.mainType == .f16)
    }

    @Test("a file cut off anywhere is an error that names it")
    func truncation() throws {
        let bytes = [UInt8](try Data(contentsOf: Fixtures.url("parakeet/tdt/ggml-f16.bin"))),
            folder = try TemporaryFolder()
        // In the header, filters, window, durations, vocabulary, and records.
        let lengths = [
            0, 3, 4, 63, 64, 71, 72, 5_000, 131_655, 131_660, 133_300, 133_400, 134_000, 200_000, bytes.count - 1,
        ]
        for length in lengths {
            let path = try folder.write(Array(bytes.prefix(length)))
            #expect(throws: ModelError.self, "\(length)") { _ = try ParakeetGGMLFile(path) }
        }
        _ = try ParakeetGGMLFile(folder.write(bytes))
    }

    @Test("no single damaged number of the header or of a record does more than give an error")
    func damage() throws {
        var bytes = [UInt8](try Data(contentsOf: Fixtures.url("parakeet/tdt/ggml-f16.bin"))), rejected = 0
        let folder = try TemporaryFolder()
        let records = bytes.count - 60_000
        for offset in Array(stride(from: 4, to: 72, by: 4)) + Array(stride(from: records, to: records + 400, by: 7)) {
            for value: [UInt8] in [[0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0], [0xff, 0xff, 0xff, 0x7f]] {
                let original = Array(bytes[offset..<(offset + 4)])
                bytes.replaceSubrange(offset..<(offset + 4), with: value)
                do { _ = try ParakeetGGMLFile(folder.write(bytes)) } catch is ModelError { rejected += 1 }
                bytes.replaceSubrange(offset..<(offset + 4), with: original)
            }
        }
        #expect(rejected > 30)
    }
}
