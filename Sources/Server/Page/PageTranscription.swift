import Synchronization
import WhisperEngine

/// A transcription for the page, as server-sent events.
enum PageTranscription {
    static func response(
        to form: PageForm, client: String, _ transcriber: any Transcriber, _ models: any ModelProvider
    ) -> Response {
        let (events, opened) = EventStream.open(keepAlive: .seconds(15))
        var response = opened
        response.headers.add("X-Content-Type-Options", "nosniff")
        let work = Task {
            await run(form, client: client, transcriber, models, events)
            events.finish()
        }
        events.onEnd { work.cancel() }
        return response
    }

    private static func run(
        _ form: PageForm, client: String, _ transcriber: any Transcriber, _ models: any ModelProvider,
        _ events: EventStream
    ) async {
        let sent = SentSegments()
        do {
            let model = try await models.model(form.model)
            let options = try form.options(for: model)
            let transcription = try await transcriber.transcribe(
                form.upload, with: model, options: options, client: client
            ) { update in
                if case .final(let segment) = update {
                    if sent.add(segment) { events.send(PageEvent.segment(segment)) }
                } else if let event = PageEvent.json(update) {
                    events.send(event)
                }
            }
            // A transcript from the cache comes without updates.
            for segment in transcription.transcript.segments where sent.add(segment) {
                events.send(PageEvent.segment(segment))
            }
            events.send(PageEvent.done(transcription))
        } catch {
            events.send(PageEvent.failure(error))
        }
    }
}

/// The segments that the page already has.
private final class SentSegments: Sendable {
    private let ids = Mutex(Set<Int>())

    /// Returns whether the segment has text and is new.
    func add(_ segment: TranscriptSegment) -> Bool {
        !WhiteSpace.strip(segment.text).isEmpty && ids.withLock { $0.insert(segment.id).inserted }
    }
}
