public import Foundation
public import WhisperEngine

// The engine itself does without Foundation; this module adds what programs with Foundation expect.

extension FilePath {
    /// The path of a file URL.
    public init(_ url: URL) {
        precondition(url.isFileURL, "not a file URL: \(url)")
        self.init(url.path(percentEncoded: false))
    }
}

extension Recognizer {
    /// Loads a model from a file URL.
    ///
    /// - Throws: the same errors as `init(model: FilePath, options:)`.
    public init(model url: URL, options: ComputeOptions = ComputeOptions()) async throws {
        try await self.init(model: FilePath(url), options: options)
    }
}

extension AudioFile {
    /// Opens an audio file by its URL.
    ///
    /// - Throws: `AudioFormatError`.
    public static func open(
        _ url: URL, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any AudioSource {
        try open(FilePath(url), options: options)
    }
}
