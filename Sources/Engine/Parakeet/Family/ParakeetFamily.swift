package import EngineBasics
package import EngineModels
package import EngineWeights

/// NVIDIA's Parakeet models: FastConformer encoders with a TDT, RNN-T or CTC decoder.
package enum ParakeetFamily: ModelFamily {
    /// They make fewer errors than a Whisper model that takes as long.
    package static let isPreferred = true

    package static func recognizes(_ path: FilePath) -> Bool {
        ParakeetGGMLFile.recognizes(path) || GGUFFile.recognizes(path) || ParakeetNeMoFile.recognizes(path)
            || ParakeetFolder.recognizes(path) || !ParakeetFileInFolder.names(in: path).isEmpty
    }

    package static func open(_ path: FilePath) throws(ModelError) -> any StoredModel {
        if ParakeetGGMLFile.recognizes(path) { return try ParakeetGGMLFile(path) }
        if GGUFFile.recognizes(path) { return try ParakeetGGUFFile(path) }
        if ParakeetNeMoFile.recognizes(path) { return try ParakeetNeMoFile(path) }
        do throws(ModelError) { return try ParakeetFolder(path) } catch {
            switch error {
            case .noFile, .missingFiles, .anotherFormat:
                if let file = try ParakeetFileInFolder.path(in: path) { return try open(file) }
            default: break
            }
            throw error
        }
    }
}
