import EngineAudio
import EngineStreaming
import EngineTranscription
import EngineTranscripts
import Synchronization

/// A live session.
final class LiveStream: Sendable {
    let events = EventQueue()
    private let session: StreamingSession
    private let isStopped = Mutex(false)

    /// Seconds of audio that may wait.
    private static let longestBacklog = 600

    /// - Throws: `InterfaceError`, `StreamingError`, `UnusedOptionsError`, `ModelError`.
    init(_ model: LoadedModel, options text: [UInt8]?) throws {
        let options = try StreamOptions(text, for: model)
        session = try StreamingSession(
            Recognizer(model.speech), options: options.streaming, detector: options.detector)
        session.change(options.change)
        Task.detached { [session, events, showsVolatile = options.showsVolatile] in
            do {
                for try await update in session.updates {
                    Self.report(update, showsVolatile: showsVolatile, to: events)
                }
                events.add(EventText.done(seconds: session.status.clock))
                events.finish()
            } catch {
                events.finish(InterfaceError(error))
            }
        }
    }

    private static func report(_ update: TranscriptUpdate, showsVolatile: Bool, to events: EventQueue) {
        switch update {
        case .volatile(let segment):
            if showsVolatile { events.add(EventText.volatile(segment), .volatile) }
        case .final(let segment): events.add(EventText.segment(segment, isLive: true))
        case .language(let code, let probability, _): events.add(EventText.language(code, probability))
        case .event(let event): events.add(EventText.notice(event.description))
        case .status(let status): events.add(EventText.status(status), .status)
        case .gap(let gap): events.add(EventText.gap(gap))
        case .progress: break
        }
    }

    /// Takes samples without waiting.
    ///
    /// - Throws: `InterfaceError` after `stop` and if too much waits; `StreamingError` if there is no space.
    func push(_ samples: [Float]) throws {
        if isStopped.withLock(\.self) { throw InterfaceError(.option, "the stream has been stopped") }
        guard session.queuedSamples + samples.count <= Self.longestBacklog * AudioChunk.sampleRate else {
            throw InterfaceError(.memory, "more than \(Self.longestBacklog) s of audio would wait")
        }
        try session.feed(samples)
    }

    func flush() { session.endUtterance() }

    func stop() {
        isStopped.withLock { $0 = true }
        Task.detached { [session] in try? await session.stop() }
    }

    func free() {
        events.cancel()
        Task.detached { [session] in await session.cancel() }
    }
}
