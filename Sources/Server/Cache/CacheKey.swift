package import WhisperEngine

/// Identifies a cached transcript: the recording, the model and the options that it was made from.
package struct CacheKey: Hashable, Sendable {
    package let model: ModelStamp
    /// A SHA-256 digest in hexadecimal.
    let digest: String

    /// - Parameter audio: the identity of the uploaded file.
    package init(audio: String, model: ModelStamp, options: TranscriptionOptions) {
        self.model = model
        digest = SHA256.hexadecimal(
            of: Array("\(audio)\n\(model.name)\n\(model.files)\nclock=file\n\(OptionsText.text(of: options))".utf8))
    }
}

/// A model as it was when it was loaded.
package struct ModelStamp: Hashable, Sendable {
    package let name: String
    /// Sizes and modification times of its files.
    let files: String

    /// - Parameter path: the model's file or folder. If it cannot be read, the name alone identifies the model.
    package init(name: String, path: FilePath) {
        self.name = name
        if let file = try? ReadOnlyFile(path) {
            files = file.stamp
        } else {
            files = ((try? DiskAccess.names(in: path, limit: 1000)) ?? []).compactMap { name in
                (try? ReadOnlyFile(path.appending(name))).map { "\(name) \($0.stamp)" }
            }.joined(separator: "\n")
        }
    }
}
