package import EngineBasics
package import EngineWeights

/// Opens Whisper models of any format.
package enum WhisperFiles {
    /// Opens a model; its format is detected from its content. Everything except the values of the weights is validated.
    ///
    /// - Parameter path: a ggml file or an OpenAI checkpoint; a CTranslate2 or Hugging Face folder, or the file in it that
    ///   contains the weights; or a folder with a single ggml file or checkpoint and no weights of another format.
    package static func open(_ path: FilePath) throws(ModelError) -> any WhisperFile {
        let kind: ModelFileKind
        do throws(FileError) {
            kind = try ModelFileKind(of: ReadOnlyFile(path))
        } catch .isFolder {
            return try open(folder: path)
        } catch { throw ModelError(error, path: path) }
        switch kind {
        case .ctranslate2: return try CTranslate2File(path)
        case .zip where !HuggingFaceWeights.contains(pytorchFile: path): return try PyTorchFile(path)
        case .zip, .safetensors: return try HuggingFaceFolder(path.folder, weights: path.name)
        case .unknown where path.lowercasedExtension == "safetensors":
            // Reports what is wrong with the header, even if the folder has no settings.
            _ = try SafetensorsFile(path)
            return try HuggingFaceFolder(path.folder, weights: path.name)
        // Also reports what else the file is.
        default: return try GGMLFile(path)
        }
    }

    private static func open(folder: FilePath) throws(ModelError) -> any WhisperFile {
        let names: [FilePath]
        do throws(DiskAccess.Fault) {
            names = try DiskAccess.names(in: folder, limit: maxEntries)
        } catch {
            throw error == .notPermitted ? .notPermitted(path: folder) : .notReadable(path: folder, errno: error.code)
        }
        let kind = ModelFolderKind(folder, names: Set(names.map { String(decoding: $0.bytes, as: UTF8.self) }))
        let weights = folder.appending("model.bin")
        switch kind {
        case .ctranslate2 where !isModel(weights): return try CTranslate2File(weights)
        case .huggingFace: return try HuggingFaceFolder(folder)
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: folder, looksLike: looksLike, instead: instead)
        case .ctranslate2, .settings, .unknown: break
        }
        // Settings of other formats are often left beside standalone models.
        var models = names.filter { isModel(folder.appending($0)) }
        if case .settings = kind { models.removeAll { isOtherArchive(folder.appending($0)) } }
        switch models.count {
        case 1: return try open(folder.appending(models[0]))
        case 2...: throw .severalModels(path: folder, names: models)
        default: break
        }
        let onnx: ModelError? =
            ONNXFolder.recognizes(folder)
            ? .anotherFormat(path: folder, looksLike: ONNXFolder.looksLike, instead: ModelFileKind.useAnother) : nil
        guard case .settings(let library) = kind else { throw onnx ?? .noModelInFolder(path: folder, names: names) }
        guard let library else {
            // Reports what is missing, or that it is another network.
            do throws(ModelError) { return try HuggingFaceFolder(folder) } catch {
                if case .anotherFormat = error { throw error }
                throw onnx ?? error
            }
        }
        throw .anotherFormat(
            path: folder, looksLike: "a folder with a \(library) model",
            instead: "download its model.safetensors as well, or " + ModelFileKind.useAnother)
    }

    private static func isModel(_ path: FilePath) -> Bool {
        guard let file = try? ReadOnlyFile(path) else { return false }
        return (try? ModelFileKind.isModel(file)) ?? false
    }

    /// Whether a file is a PyTorch archive but not a standalone model, such as a training state or a shard.
    private static func isOtherArchive(_ path: FilePath) -> Bool {
        do throws(ModelError) {
            _ = try PyTorchFile(path)
        } catch .foreignName, .otherCheckpoint { return true } catch {}
        return false
    }

    /// A folder with a model has far fewer entries.
    private static let maxEntries = 10_000
}

/// The kind of a folder, detected from its name and the names in it.
enum ModelFolderKind: Equatable {
    case ctranslate2
    case huggingFace
    /// The settings of a Hugging Face model with no weights, or with weights for another library.
    case settings(library: String?)
    /// Another format: what it looks like and what to use instead.
    case other(looksLike: String, instead: String)
    case unknown

    /// Weights that transformers writes for other libraries.
    private static let otherWeights = [("tf_model.h5", "TensorFlow"), ("flax_model.msgpack", "Flax")]

    init(_ folder: FilePath, names: Set<String>) {
        let hasWeights = [HuggingFaceWeights.safetensors, HuggingFaceWeights.pyTorch].contains {
            names.contains($0) || names.contains($0 + ShardIndex.suffix)
        }
        if names.contains("adapter_config.json"), !hasWeights {
            self = .other(looksLike: ModelFileKind.adapter.looksLike, instead: ModelFileKind.adapter.instead)
        } else if hasWeights {
            self = .huggingFace
        } else if names.contains("model.bin"),
            names.contains("config.json") || names.contains(where: { $0.hasPrefix("vocabulary.") })
        {
            self = .ctranslate2
        } else if let (_, library) = Self.otherWeights.first(where: { names.contains($0.0) }) {
            self = .settings(library: library)
        } else if names.contains("config.json") {
            self = .settings(library: nil)
        } else if folder.lowercasedExtension == "mlmodelc" || names.contains(where: { $0.hasSuffix(".mlmodelc") }),
            !names.contains(where: { $0.hasSuffix(".bin") })
        {
            // whisper.cpp keeps its Core ML encoders next to the ggml files.
            self = .other(looksLike: "a folder with a Core ML model", instead: ModelFileKind.useAnother)
        } else {
            self = .unknown
        }
    }
}
