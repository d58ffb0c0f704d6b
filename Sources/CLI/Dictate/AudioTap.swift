import Synchronization
import WhisperEngine

/// Hears the microphone all the time and keeps 300 ms, so that a recording has the sound from before its press.
final class AudioTap: Sendable {
    private struct State {
        var history: [Float] = []
        var meter = LevelMeter()
        var hasHeard = false
        var recording: AsyncStream<[Float]>.Continuation?
    }

    private let state = Mutex(State())

    private static let historySamples = AudioChunk.sampleRate * 3 / 10

    /// - Parameter keepsHistory: a recording that waits between two presses has no sound before them.
    func hear(_ samples: [Float], keepsHistory: Bool) {
        state.withLock { state in
            state.meter.process(samples)
            state.hasHeard = true
            if let recording = state.recording {
                recording.yield(samples)
                state.history = []
            } else if keepsHistory {
                state.history = Array((state.history + samples).suffix(Self.historySamples))
            }
        }
    }

    /// The sound of a new recording, until `end`.
    func begin() -> AsyncStream<[Float]> {
        let (stream, continuation) = AsyncStream<[Float]>.makeStream()
        let last = state.withLock { state in
            if !state.history.isEmpty { continuation.yield(state.history) }
            defer { state.recording = continuation }
            return state.recording
        }
        last?.finish()
        return stream
    }

    func end() {
        state.withLock { state in
            defer { state.recording = nil }
            return state.recording
        }?.finish()
    }

    var level: Double? { state.withLock { $0.meter.rms } }
    var hasHeard: Bool { state.withLock { $0.hasHeard } }
    var isSilent: Bool { state.withLock { $0.meter.isSilent } }
}
