import Synchronization
import WhisperEngine

/// Recognizers that share the weights of a model, so that several recordings can be transcribed concurrently. Each has
/// its own buffers, and is reused.
final class RecognizerStock: Sendable {
    private let original: Recognizer
    private let idle: Mutex<[Recognizer]>

    init(_ recognizer: Recognizer) {
        original = recognizer
        idle = Mutex([recognizer])
    }

    /// An idle recognizer, or a new one.
    func take() -> Recognizer {
        idle.withLock { $0.popLast() } ?? Recognizer(sharing: original)
    }

    func give(_ recognizer: Recognizer) {
        idle.withLock { $0.append(recognizer) }
    }
}
