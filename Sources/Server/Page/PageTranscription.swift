import Synchronization
import WhisperEngine

/// A transcription for the page, as server-sent events.
enum PageTranscription {
    /// Time between comments that show a waiting browser that the connection is alive.
    private static let keepAlive = Duration.seconds(15)

    static func response(to form: PageForm, client: String, _ transcriber: any Transcriber) -> Response {
        let (events, stream) = AsyncStream<[UInt8]>.makeStream()
        let work = Task {
            let comments = Task {
                while (try? await Task.sleep(for: keepAlive)) != nil { stream.yield(Array(": keep-alive\n\n".utf8)) }
            }
            await run(form, client: client, transcriber) { stream.yield(Array("data: \($0)\n\n".utf8)) }
            comments.cancel()
            stream.finish()
        }
        stream.onTermination = { _ in work.cancel() }
        let headers = Headers([
            ("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-cache"),
            ("X-Content-Type-Options", "nosniff"),
        ])
        return Response(headers: headers, body: .stream(events))
    }

    private static func run(
        _ form: PageForm, client: String, _ transcriber: any Transcriber, send: @escaping @Sendable (String) -> Void
    ) async {
        let sent = SentSegments()
        do {
            let transcription = try await transcriber.transcribe(
                form.upload, model: form.model, options: form.options, client: client
            ) { update in
                if case .final(let segment) = update {
                    if sent.add(segment) { send(PageEvent.segment(segment)) }
                } else if let event = PageEvent.json(update) {
                    send(event)
                }
            }
            // A transcript from the cache comes without updates.
            for segment in transcription.transcript.segments where sent.add(segment) {
                send(PageEvent.segment(segment))
            }
            send(PageEvent.done(transcription))
        } catch {
            send(PageEvent.failure(error))
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
