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
        let sent = Mutex(Set<Int>())
        @Sendable func send(_ segment: TranscriptSegment) {
            let hasText = !WhiteSpace.strip(segment.text).isEmpty
            if hasText, sent.withLock({ $0.insert(segment.id).inserted }) { events.send(PageEvent.segment(segment)) }
        }
        do {
            // What is not a recording is refused in its turn.
            events.send(PageEvent.beginning(try? form.upload.duration()))
            let model = try await models.model(form.model)
            let networks = try await form.hasSpeakers ? models.speakerNetworks() : nil
            let options = try form.options(for: model, speakers: networks)
            let transcription = try await transcriber.transcribe(
                form.upload, with: model, options: options, client: client
            ) { update in
                if case .final(let segment) = update {
                    send(segment)
                } else if let event = PageEvent.json(update) {
                    events.send(event)
                }
            }
            // A transcript from the cache comes without updates.
            transcription.transcript.segments.forEach(send)
            events.send(PageEvent.done(transcription))
        } catch {
            events.send(PageEvent.failure(error))
        }
    }
}
