import Foundation
import Testing

/// Models in several formats, and comparisons between them.
enum FormatFixture {
    /// The small model in CTranslate2's number formats, without vocabulary.
    static let quantizations = [
        "float32", "float16", "bfloat16", "int16", "int8_float32", "int8_float16", "int8_bfloat16",
    ]

    static func path(_ name: String) -> FilePath {
        FilePath(Fixtures.url("formats/" + name).path(percentEncoded: false))
    }

    /// Links the files of `Fixtures/formats/NAME` into a temporary folder and adds a vocabulary.
    static func folder(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder(), source = Fixtures.url("formats/" + name)
        for file in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            try folder.link(file, to: source.appending(path: file).path(percentEncoded: false))
        }
        if name.hasPrefix("ct2") {
            try PrintableVocabulary.english.lines.write(to: folder.url.appending(path: "vocabulary.txt"))
        } else {
            try PrintableVocabulary.englishTokenizer.get().write(to: folder.url.appending(path: "tokenizer.json"))
        }
        return folder
    }

    static func values(_ file: any WhisperFile, _ name: String) throws -> [Float] {
        let values = try file.tensor(name).floats()
        return values.values(0..<values.count)
    }

    /// The names of tensors whose values differ.
    static func differences(_ one: any WhisperFile, _ other: any WhisperFile) throws -> [String] {
        try TensorShapes.all(one.dimensions).map(\.name).filter {
            try values(one, $0).map(\.bitPattern) != values(other, $0).map(\.bitPattern)
        }
    }

    /// Logits after the start of a transcript of a noisy window.
    static func logits(_ file: any WhisperFile, _ backend: ComputeOptions.Backend = .openblas) throws -> [Float] {
        let d = file.dimensions
        let model = try WhisperModel(
            file, backend: try ComputeOptions(backend: backend, computeType: .float32, threads: 2).makeBackend())
        let decoder = try TextDecoder(model, maxRows: 1)
        let window = PlantedNumbers.units(3, [], count: 3000 * d.nMels).map { Float($0) }
        decoder.attend(to: try AudioEncoder(model).encode(window))
        let start = SpecialTokens(vocabularySize: d.nVocab).startOfTranscript
        return try decoder.start([start, 400, 500], logitsAt: [2])[0]
    }

    static func open(_ path: FilePath) throws -> ModelError? {
        do throws(ModelError) {
            _ = try WhisperFiles.open(path)
            return nil
        } catch { return error }
    }
}
