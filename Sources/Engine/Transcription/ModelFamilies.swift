package import EngineBasics
package import EngineCompute
package import EngineModels
package import EngineWhisper
import Synchronization

/// Models that share a network architecture.
package protocol ModelFamily: SendableMetatype {
    /// Whether a file or folder contains a model of this family. Errors are left to `load`.
    static func recognizes(_ path: FilePath) -> Bool

    /// - Throws: `ModelError`, `ComputeError`.
    static func load(_ path: FilePath, options: ComputeOptions) throws -> any SpeechModel
}

/// The families that the program knows. The content of a file decides which one loads it.
package enum ModelFamilies {
    /// Besides Whisper.
    private static let others = Mutex<[any ModelFamily.Type]>([])

    /// Adds a family before any model is loaded.
    package static func add(_ family: any ModelFamily.Type) { others.withLock { $0.append(family) } }

    /// Loads a model.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    package static func load(_ path: FilePath, options: ComputeOptions) throws -> any SpeechModel {
        let family = others.withLock { $0 }.first { $0.recognizes(path) }
        // Whisper's readers also say what else a file is.
        return try family?.load(path, options: options) ?? WhisperModel.load(WhisperFiles.open(path), options: options)
    }
}

extension Recognizer {
    /// A recognizer with a Whisper model.
    ///
    /// - Parameter cache: holds the encoded windows, for transcribing the same recordings with several option sets.
    package init(_ file: any WhisperFile, backend: any ComputeBackend, cache: EncodingCache? = nil) throws {
        self.init(try WhisperModel(file, backend: backend, cache: cache))
    }
}
