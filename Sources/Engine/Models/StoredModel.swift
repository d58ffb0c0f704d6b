package import EngineBasics
package import EngineCompute
package import EngineWeights

/// Models that share a network architecture, such as Whisper.
package protocol ModelFamily: SendableMetatype {
    /// Whether its models are used, if they suit the options, when the user names none.
    static var isPreferred: Bool { get }

    /// Whether a file or folder looks like a model of this family. What is wrong with a damaged one is left to `open`.
    static func recognizes(_ path: FilePath) -> Bool

    /// Opens a model and validates everything except the values of its weights.
    static func open(_ path: FilePath) throws(ModelError) -> any StoredModel
}

extension ModelFamily {
    package static var isPreferred: Bool { false }
}

/// A model that has been opened but not loaded: what its files say about it.
package protocol StoredModel: TensorFile {
    /// The name of the format of its files, such as `ggml`.
    var format: String { get }
    var traits: ModelTraits { get }
    /// The number of trained parameters.
    var parameters: Int { get }
    var details: ModelDetails { get }

    /// The memory that decoding needs, with `ComputeOptions.decoding`, in bytes, an estimate of the process's peak.
    func memory(_ options: ComputeOptions) -> Int

    /// Reads the weights.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    func load(_ options: ComputeOptions) throws -> any SpeechModel
}

extension StoredModel {
    package var parameters: Int { tensors.values.reduce(0) { $0 + $1.count } }

    /// Checked before any weight is read, because Swift cannot recover when memory runs out.
    ///
    /// - Parameters:
    ///   - needs: the memory that is needed, in bytes.
    ///   - threads: the number of computing threads.
    ///   - memory: available bytes; `nil` asks the system.
    /// - Throws: `ModelError.notEnoughMemory`.
    package func checkMemory(needs: Int, threads: Int, memory: Int? = nil) throws(ModelError) {
        if let memory = memory ?? SystemMemory.available(threads: threads), memory < needs {
            throw .notEnoughMemory(path: path, needs: needs, available: memory)
        }
    }
}

/// What `models info` shows only of the models of one family, such as the layers of its network.
package struct ModelDetails: Sendable {
    /// Titles and texts.
    package var rows: [(title: String, text: String)]
    /// The same for programs: keys, and values in JSON.
    package var members: [(key: String, value: String)]

    package init(rows: [(title: String, text: String)] = [], members: [(key: String, value: String)] = []) {
        self.rows = rows
        self.members = members
    }
}
