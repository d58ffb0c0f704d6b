package import EngineBasics
package import EngineModels
package import EngineWeights

/// OpenAI's Whisper models and those that were made from them, in all formats of `WhisperFiles`.
package enum WhisperFamily: ModelFamily {
    /// Its formats are those of many networks: whether a file is really a Whisper model shows only `open`.
    package static func recognizes(_ path: FilePath) -> Bool {
        do throws(FileError) {
            switch try ModelFileKind(of: ReadOnlyFile(path)) {
            case .ggml, .zip, .ctranslate2, .safetensors: return true
            // With a damaged header.
            case .unknown: return path.lowercasedExtension == "safetensors"
            case .other: return false
            }
        } catch { return error == .isFolder }
    }

    package static func open(_ path: FilePath) throws(ModelError) -> any StoredModel { try WhisperFiles.open(path) }
}
