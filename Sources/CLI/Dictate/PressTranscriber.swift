import Synchronization
import WhisperEngine

/// Transcribes the recording of one press, showing the text as it grows.
struct PressTranscriber: Sendable {
    let model: ModelKeeper
    let options: StreamingOptions
    let journal: SharedJournal?
    let display: DictateDisplay

    /// The text is returned even if it could not be saved; the display then says why.
    ///
    /// - Returns: the text, once the recording has ended; empty if there was no speech.
    func text(of recording: PressRecording) async throws -> String {
        await display.show(volatile: "")
        return try await model.use { try await text(of: recording, by: $0) }
    }

    private func text(of recording: PressRecording, by model: ModelKeeper.Loaded) async throws -> String {
        let session = try StreamingSession(
            model.recognizer, options: options.suited(to: model.recognizer.model.traits), detector: model.detector,
            journal: journal, start: journal?.start ?? SessionStart())
        recording.attach(session)
        let reader = Task { [display] in
            var finals = ""
            do {
                for try await update in session.updates {
                    switch update {
                    case .final(let segment): finals += segment.text
                    case .volatile(let segment): await display.show(volatile: finals + (segment?.text ?? ""))
                    default: break
                    }
                }
            } catch let error as StreamingError {
                guard case .journalFailed = error else { throw error }
                await display.warning(error.report.singleLine)
            }
            return finals
        }
        for await samples in recording.audio {
            recording.measure(samples)
            try session.feed(samples)
        }
        if recording.isDiscarded { await session.cancel() } else { try? await session.stop() }
        let text = String(try await reader.value.drop { $0.isWhitespace && !$0.isNewline })
        // What is delivered, which may differ from what was shown while it was being recognized.
        await display.show(volatile: text)
        return text
    }
}

/// The audio of one press. Discarding it also cancels its transcription.
final class PressRecording: Sendable {
    private struct State {
        var session: StreamingSession?
        var isDiscarded = false
        var meter = LevelMeter()
    }

    let audio: AsyncStream<[Float]>
    private let state = Mutex(State())

    init(audio: AsyncStream<[Float]>) { self.audio = audio }

    var isDiscarded: Bool { state.withLock { $0.isDiscarded } }

    func measure(_ samples: [Float]) { state.withLock { $0.meter.process(samples) } }
    /// Whether the recording is more than digital silence.
    var hasSignal: Bool { state.withLock { $0.meter.hasHeardSignal } }

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
