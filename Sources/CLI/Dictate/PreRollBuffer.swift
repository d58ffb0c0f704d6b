import Synchronization
import WhisperEngine

/// Passes captured audio to the current recording. Between recordings it keeps the last 300 ms, so that a recording
/// starts a little before its press. Audio after a possible release waits until it is known whether the key is held.
final class PreRollBuffer: Sendable {
    private struct State {
        var preRoll: [Float] = []
        var meter = LevelMeter()
        var hasReceivedAudio = false
        var recording: AsyncStream<[Float]>.Continuation?
        /// Audio of the recording if the key is still held.
        var waiting: [Float] = []
    }

    private let state = Mutex(State())

    private static let preRollSamples = AudioChunk.sampleRate * 3 / 10

    /// - Parameters:
    ///   - keepsPreRoll: `false` for a source that pauses between presses, which has no audio before them.
    ///   - isReleasePossible: whether the key may have been released.
    func append(_ samples: [Float], keepsPreRoll: Bool, isReleasePossible: Bool) {
        state.withLock { state in
            state.meter.process(samples)
            state.hasReceivedAudio = true
            if let recording = state.recording {
                state.preRoll = []
                state.waiting += samples
                guard !isReleasePossible else { return }
                recording.yield(state.waiting)
                state.waiting = []
            } else if keepsPreRoll {
                state.preRoll = Array((state.preRoll + samples).suffix(Self.preRollSamples))
            }
        }
    }

    /// Starts a recording with the pre-roll. A recording that is still running ends.
    func startRecording() -> AsyncStream<[Float]> {
        let (stream, continuation) = AsyncStream<[Float]>.makeStream()
        let previous = state.withLock { state in
            if !state.preRoll.isEmpty { continuation.yield(state.preRoll) }
            defer { (state.recording, state.waiting) = (continuation, []) }
            return state.recording
        }
        previous?.finish()
        return stream
    }

    func stopRecording() {
        state.withLock { state in
            state.preRoll = Array((state.preRoll + state.waiting).suffix(Self.preRollSamples))
            defer { (state.recording, state.waiting) = (nil, []) }
            return state.recording
        }?.finish()
    }

    /// Whether audio waits because the key may have been released.
    var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// dBFS; `nil` before the first audio.
    var level: Double? { state.withLock { $0.meter.rms } }
    var hasReceivedAudio: Bool { state.withLock { $0.hasReceivedAudio } }
    var isSilent: Bool { state.withLock { $0.meter.isSilent } }
}
