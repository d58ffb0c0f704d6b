import EngineBasics
import EngineWeights

/// The files next to a model's weights that CTranslate2 and Hugging Face folders have in common.
struct ModelFolder {
    /// Where a vocabulary is read from.
    enum VocabularySource {
        /// `vocabulary.txt` or `vocabulary.json`: all tokens in the order of their IDs.
        case list
        /// `tokenizer.json`.
        case tokenizer
        /// `vocab.json` with `added_tokens.json`.
        case ranks
    }

    let path: FilePath
    /// The audio settings of all Whisper models.
    private static let audioSettings = [("sampling_rate", "16000"), ("n_fft", "400"), ("hop_length", "160")]

    init(_ path: FilePath) { self.path = path }

    /// Checks that `preprocessor_config.json`, if present, describes the audio that this program gives the model.
    func checkAudioSettings(_ dimensions: ModelDimensions) throws(ModelError) {
        let path = path.appending("preprocessor_config.json")
        guard let settings = try JSONFile.readIfPresent(path) else { return }
        if let found = settings["feature_size"], found.count != dimensions.nMels {
            throw .badSetting(
                path: path, key: "feature_size", found: found.shown, expected: "the model's \(dimensions.nMels)")
        }
        for (key, expected) in Self.audioSettings {
            if let found = settings[key], found != .number(expected) {
                throw .badSetting(path: path, key: key, found: found.shown, expected: expected)
            }
        }
    }

    /// Reads the vocabulary from the first source that is present.
    ///
    /// - Parameter size: the number of token IDs according to the weights.
    /// - Returns: `nil` if the folder has none of the sources.
    func vocabulary(size: Int, from sources: [VocabularySource]) throws(ModelError) -> Vocabulary? {
        for source in sources {
            switch source {
            case .list:
                let text = path.appending("vocabulary.txt"), list = path.appending("vocabulary.json")
                if let bytes = try ifPresent(text) {
                    return try VocabularyTable(lines: bytes, path: text, size: size).vocabulary()
                }
                if let value = try JSONFile.readIfPresent(list, .vocabulary) {
                    return try VocabularyTable(list: value, path: list, size: size).vocabulary()
                }
            case .tokenizer:
                let path = path.appending("tokenizer.json")
                if let value = try JSONFile.readIfPresent(path, .vocabulary) {
                    return try VocabularyTable(tokenizer: value, path: path, size: size).vocabulary()
                }
            case .ranks:
                let path = path.appending("vocab.json")
                if let value = try JSONFile.readIfPresent(path, .vocabulary) {
                    let added = try JSONFile.readIfPresent(self.path.appending("added_tokens.json"))
                    return try VocabularyTable(ranks: value, added: added, path: path, size: size).vocabulary()
                }
            }
        }
        return nil
    }

    private func ifPresent(_ path: FilePath) throws(ModelError) -> [UInt8]? {
        do throws(ModelError) {
            return try JSONFile.bytes(path, limit: JSONFile.Limits.vocabulary.bytes)
        } catch .noFile { return nil } catch { throw error }
    }
}
