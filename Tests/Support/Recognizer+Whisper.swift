package import EngineCompute
package import EngineTranscription
package import EngineWhisper

extension Recognizer {
    /// A recognizer with a Whisper model.
    ///
    /// - Parameter cache: holds the encoded windows, for transcribing the same recordings with several option sets.
    package init(_ file: any WhisperFile, backend: any ComputeBackend, cache: EncodingCache? = nil) throws {
        self.init(try WhisperModel(file, backend: backend, cache: cache))
    }
}
