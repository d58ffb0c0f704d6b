import Synchronization
import WhisperEngine

/// Transcribes the recording of one press, showing the text as it grows.
struct PressTranscriber: Sendable {
    let recognizer: Recognizer
    /// The detector in its initial state; `nil` counts all audio as speech.
    let detector: (any VoiceActivityDetector)?
    let options: StreamingOptions
    let journal: SharedJournal?
    let display: DictateDisplay

    /// - Returns: the text, once the recording has ended; empty if there was no speech.
    func text(of recording: PressRecording) async throws -> String {
        let session = try StreamingSession(
            recognizer, options: options, detector: detector, journal: journal,
            start: journal?.start ?? SessionStart())
        recording.attach(session)
        let reader = Task { [display] in
            var finals: [TranscriptSegment] = []
            for try await update in session.updates {
                switch update {
                case .final(let segment): finals.append(segment)
                case .volatile(let segment):
                    await display.show(volatile: finals.map(\.text).joined() + (segment?.text ?? ""))
                default: break
                }
            }
            return finals
        }
        for await samples in recording.audio { try session.feed(samples) }
        if recording.isDiscarded { await session.cancel() } else { try await session.stop() }
        let finals = try await reader.value
        await display.show(volatile: "")
        return String(finals.map(\.text).joined().drop { $0.isWhitespace })
    }
}

/// The audio of one press. Discarding it also cancels its transcription.
final class PressRecording: Sendable {
    private struct State {
        var session: StreamingSession?
        var isDiscarded = false
    }

    let audio: AsyncStream<[Float]>
    private let state = Mutex(State())

    init(audio: AsyncStream<[Float]>) { self.audio = audio }

    var isDiscarded: Bool { state.withLock { $0.isDiscarded } }

    /// Sets the session to cancel when the recording is discarded.
    func attach(_ session: StreamingSession) {
        let isDiscarded = state.withLock { state in
            state.session = session
            return state.isDiscarded
        }
        if isDiscarded { Task { await session.cancel() } }
    }

    func discard() {
        let session = state.withLock { state in
            state.isDiscarded = true
            return state.session
        }
        if let session { Task { await session.cancel() } }
    }
}
