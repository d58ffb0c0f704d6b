package import EngineBasics
import Foundation
package import TestModels

extension TemporaryFolder {
    /// Writes `bytes` to a file in the folder.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String = "model.bin") throws -> FilePath {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }

    /// Writes a CTranslate2 folder into this one.
    ///
    /// - Returns: the path of `model.bin`.
    @discardableResult
    package func write(
        _ contents: CTranslate2Contents, vocabulary: PrintableVocabulary = .english,
        settings: String? = #"{"alignment_heads": [[0, 0]], "lang_ids": null}"#
    ) throws -> FilePath {
        if let settings { try Data(settings.utf8).write(to: url.appending(path: "config.json")) }
        try vocabulary.lines.write(to: url.appending(path: "vocabulary.txt"))
        return try write(contents.bytes)
    }
}

extension HuggingFaceContents {
    /// Writes the files of the folder.
    package func write(
        to folder: TemporaryFolder, shards: [String]? = nil, pyTorch: Bool = false, tokenizer: Bool = true
    ) throws {
        for (name, data) in try files(shards: shards, pyTorch: pyTorch, tokenizer: tokenizer) {
            try data.write(to: folder.url.appending(path: name))
        }
    }
}

extension PlainModel {
    package static func micro(_ name: String) throws -> PlainModel {
        let bytes = try [UInt8](Data(contentsOf: Fixtures.url("models/ggml-\(name).bin")))
        let vocabulary =
            name == "micro-v3" ? VocabularyFixture.multilingual100Vocabulary : VocabularyFixture.englishVocabulary
        return PlainModel(GGMLContents(bytes), vocabulary: vocabulary)
    }
}
