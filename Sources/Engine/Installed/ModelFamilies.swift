package import EngineBasics
package import EngineModels
import EngineParakeet
package import EngineWeights
import EngineWhisper
import Synchronization

/// The families that the program knows. The content of a file decides which one opens it.
package enum ModelFamilies {
    /// In the order in which they are asked.
    private static let families = Mutex<[any ModelFamily.Type]>([ParakeetFamily.self, WhisperFamily.self])

    /// Adds a family before any model is opened.
    package static func add(_ family: any ModelFamily.Type) { families.withLock { $0.insert(family, at: 0) } }

    /// The family of a model; `nil` if a file or folder is none.
    private static func family(of path: FilePath) -> (any ModelFamily.Type)? {
        families.withLock { $0 }.first { $0.recognizes(path) }
    }

    /// Whether a file or folder looks like a model.
    package static func recognize(_ path: FilePath) -> Bool { family(of: path) != nil }

    /// Whether a model is of a family that is used when the user names none.
    static func isPreferred(_ path: FilePath) -> Bool { family(of: path)?.isPreferred ?? false }

    /// Opens a model and validates everything except the values of its weights.
    package static func open(_ path: FilePath) throws(ModelError) -> any StoredModel {
        guard let family = family(of: path) else { throw ModelFileKind.refusal(of: path) }
        return try family.open(path)
    }
}
