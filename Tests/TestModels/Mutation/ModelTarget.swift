package import EngineBasics
import EngineCompute
import EngineParakeet
package import EngineWeights
import EngineWhisper
import Glibc

/// Opens model files as the program does and reads everything in them.
///
/// The only results that a hostile file may have are a loaded model and a `ModelError` that names it.
package struct ModelTarget {
    package enum Outcome: Equatable, Sendable {
        case loaded
        case rejected(ModelError)

        /// How much of the model was read.
        package enum Depth: Int, CaseIterable, Sendable {
            /// The format was not recognized, or its container is damaged.
            case container
            /// Dimensions, settings, counts or the pickle are damaged.
            case header
            /// The header is valid, but not the tensors or the vocabulary.
            case tensors
            case loaded
        }

        private static let vocabularies = [
            "vocabulary.txt", "vocabulary.json", "tokenizer.json", "vocab.json", "added_tokens.json",
        ]

        package var depth: Depth {
            guard case .rejected(let error) = self else { return .loaded }
            switch error {
            case .badContents(let path, _) where Self.vocabularies.contains(path.name.description): return .tensors
            case .badField, .headerCut, .badHeader, .badContents, .badSetting, .badPickle, .foreignName, .badCheckpoint,
                .otherCheckpoint, .missingFiles:
                return .header
            case .badVocabulary, .damagedVocabulary, .badRecord, .unsupportedType, .unknownTensor, .duplicateTensor,
                .missingTensors, .wrongShape, .oddRow, .truncated, .trailingBytes, .notFinite, .vocabularyOnly,
                .untiedOutput, .badTensor:
                return .tensors
            default: return .container
            }
        }
    }

    /// A result that no file may have, such as an error without the file's name.
    package struct Violation: Error, CustomStringConvertible {
        package let description: String
    }

    private let parent: FilePath
    /// The folder of each combination of files, and what they contain.
    private var written: [[String]: (folder: FilePath, files: [ModelFiles.File])] = [:]

    /// Messages longer than this flood the terminal.
    private static let maxMessageBytes = 2000

    /// Matrices of more elements are not converted, because memory is limited.
    private static let maxPrepared = 1 << 17

    /// - Parameter folder: an empty folder, best in memory, in which the models are written.
    package init(folder: FilePath) { parent = folder }

    /// Opens a model and reads all its weights.
    package mutating func open(_ model: ModelFiles) throws -> Outcome {
        let folder = try write(model)
        let path = model.files.count == 1 ? folder.appending(model.files[0].name) : folder
        do {
            try read(path)
            return .loaded
        } catch ModelError.missingFiles(_, _, "the vocabulary") where model["model.bin"] != nil {
            // A vocabulary takes longer to read than all the rest, so most inputs have none.
            try readVariables(folder.appending("model.bin"))
            return .loaded
        } catch let error as ModelError {
            try check(error, folder)
            return .rejected(error)
        }
    }

    private func read(_ path: FilePath) throws {
        if ParakeetFamily.recognizes(path) { return try readParakeet(path) }
        let file = try WhisperFiles.open(path)
        // One for each model, because a backend keeps the memory of the weights that it has prepared.
        let backend = try ComputeOptions(backend: .auto, computeType: .float32, threads: 1).makeBackend()
        _ = file.memory(ComputeOptions(computeType: .float32))
        for (name, shape) in TensorShapes.all(file.dimensions) {
            let tensor = try file.tensor(name)
            try read(tensor)
            if shape.count > 1, tensor.count <= Self.maxPrepared { try prepare(tensor, by: backend) }
        }
        // The built-in vocabularies are much longer.
        if file.vocabulary.pieces.count < 1000 {
            let tokenizer = Tokenizer(vocabulary: file.vocabulary)
            _ = tokenizer.decode(tokenizer.encode("the quick brown fox, naïve and 42"))
        }
        try (file as? PyTorchFile)?.verify()
    }

    private func readParakeet(_ path: FilePath) throws {
        guard let file = try ParakeetFamily.open(path) as? any ParakeetFile else { return }
        let backend = try ComputeOptions(backend: .auto, computeType: .float32, threads: 1).makeBackend()
        _ = file.memory(ComputeOptions(computeType: .float32))
        for tensor in file.tensors.values.sorted(by: { $0.name < $1.name }) {
            try read(tensor)
            if tensor.shape.count > 1, tensor.count <= Self.maxPrepared { try prepare(tensor, by: backend) }
        }
        for table in file.featureTables.values { try read(table) }
        _ = file.vocabulary.text(of: file.vocabulary.encode("the quick brown fox, naïve and 42"))
        try file.verify()
    }

    private func readVariables(_ path: FilePath) throws {
        let variables = try CTranslate2Variables(ReadOnlyFile(path))
        for tensor in try variables.tensors(variables.dimensions()).values { try read(tensor) }
    }

    /// Reads all elements, which may be infinite.
    private func read(_ tensor: WeightTensor) throws {
        do {
            _ = try tensor.floats()
        } catch ModelError.notFinite {}
    }

    /// Converts the rows of a matrix as for a network, to tiles or to float16.
    private func prepare(_ tensor: WeightTensor, by backend: any ComputeBackend) throws {
        do {
            let use: MatrixUse = tensor.name.hasPrefix("encoder.") ? .manyRows : .fewRows
            _ = try backend.prepare(tensor.matrixRows(), for: use)
        } catch ModelError.notFinite {}
    }

    private func check(_ error: ModelError, _ folder: FilePath) throws(Violation) {
        let message = error.description
        if !message.contains(folder.description) { throw Violation(description: "no path in: \(message)") }
        if error.category != .data { throw Violation(description: "\(error.category): \(message)") }
        if message.utf8.count > Self.maxMessageBytes {
            throw Violation(description: "a message of \(message.utf8.count) bytes: \(message.prefix(200))")
        }
        if message.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            throw Violation(description: "control characters in: \(ShellQuoting.quoted(message))")
        }
    }

    /// Writes the files that have changed since the last model with files of these names.
    ///
    /// - Returns: their folder.
    private mutating func write(_ model: ModelFiles) throws(Violation) -> FilePath {
        let names = model.files.map(\.name), last = written[names]?.files ?? []
        let folder = written[names]?.folder ?? parent.appending("\(written.count)")
        if last.isEmpty { unsafe mkdir(folder.cString, 0o700) }
        for (index, file) in model.files.enumerated() where last.isEmpty || last[index] != file {
            let descriptor = unsafe Glibc.open(folder.appending(file.name).cString, O_WRONLY | O_CREAT, 0o600)
            let count = unsafe file.bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            let isCut = ftruncate(descriptor, file.bytes.count) == 0
            guard close(descriptor) == 0, count == file.bytes.count, isCut else {
                throw Violation(description: "cannot write \(folder.appending(file.name))")
            }
        }
        written[names] = (folder, model.files)
        return folder
    }
}
