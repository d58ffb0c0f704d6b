import Foundation
import Synchronization

/// Records the updates of a transcription.
final class UpdateLog: Sendable {
    private let updates = Mutex<[TranscriptUpdate]>([])

    @Sendable func add(_ update: TranscriptUpdate) { updates.withLock { $0.append(update) } }

    var all: [TranscriptUpdate] { updates.withLock { $0 } }
}

extension Recognizer {
    /// A recognizer with a small model of random weights.
    static func random(_ name: String, _ backend: ComputeOptions.Backend, threads: Int = 2) throws -> Recognizer {
        let path = Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false)
        return try Recognizer(
            GGMLFile(FilePath(path)),
            backend: ComputeOptions(backend: backend, computeType: .float32, threads: threads).makeBackend())
    }
}
