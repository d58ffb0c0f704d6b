import Synchronization
import WhisperEngine
import WhisperServer

/// A transcriber that reports given updates and returns a given result.
final class ScriptedTranscriber: Transcriber {
    struct Call: Sendable {
        var model: String
        var options: TranscriptionOptions
        var client: String
    }

    private let updates: [TranscriptUpdate]
    private let result: Result<Transcription, HTTPError>
    private let waitsForCancellation: Bool
    private let recorded = Mutex([Call]())
    private let cancelled = Mutex(false)
    var calls: [Call] { recorded.withLock { $0 } }
    /// Whether a call has ended because its task was cancelled.
    var isCancelled: Bool { cancelled.withLock { $0 } }

    init(
        _ updates: [TranscriptUpdate] = [], result: Result<Transcription, HTTPError>, waitsForCancellation: Bool = false
    ) {
        self.updates = updates
        self.result = result
        self.waitsForCancellation = waitsForCancellation
    }

    func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates report: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        recorded.withLock { $0.append(Call(model: model.name, options: options, client: client)) }
        for update in updates { report(update) }
        while waitsForCancellation, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        cancelled.withLock { $0 = Task.isCancelled }
        return try result.get()
    }
}

enum PageFixture {
    static func segment(_ id: Int, _ text: String, words: [TranscriptWord]? = nil) -> TranscriptSegment {
        TranscriptSegment(
            id: id, seek: 0, start: Double(id), end: Double(id) + 0.5, text: text, tokens: [], temperature: 0,
            avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0, words: words)
    }

    static func transcription(_ segments: [TranscriptSegment]) -> Transcription {
        let text = segments.map(\.text).joined()
        let transcript = Transcript(text: text, language: "en", duration: 2.5, segments: segments)
        return Transcription(transcript: transcript, model: "nano.en", seconds: 0.25)
    }

    static func routes(_ transcriber: any Transcriber) -> [Route] {
        let models = FakeModels(["nano.en", "base"], answer: .nano)
        return PageRoutes.routes(transcriber, models: models, fileLimit: 1 << 20) { error in
            .json(JSONText.string(error.message), status: error.status)
        }
    }

    /// What the routes answer; `nil` if there is none for the path.
    static func answer(
        _ method: String, _ path: String, headers: Headers = Headers(), body: RequestBody = .none,
        from transcriber: any Transcriber = ScriptedTranscriber(result: .failure(HTTPError(500, "unexpected")))
    ) async throws -> Response? {
        guard let route = routes(transcriber).first(where: { $0.method == method && $0.pattern == path }) else {
            return nil
        }
        let head = RequestHead(method: method, path: path, headers: headers, client: "someone")
        return try await route.respond(Request(head, body: body))
    }

    static func form(_ fields: [(name: String, value: String)] = []) throws -> RequestBody {
        .form(MultipartForm(fields: fields, files: [.init(name: "file", file: try Upload([1, 2, 3]))]))
    }

    /// The data of all events of `/page/transcribe`.
    static func events(_ body: RequestBody, from transcriber: any Transcriber) async throws -> [String] {
        guard
            case .stream(let stream, _) = try await answer(
                "POST", "/page/transcribe", body: body, from: transcriber)?.body
        else { return [] }
        var events: [String] = []
        for try await bytes in stream { events.append(String(decoding: bytes, as: UTF8.self)) }
        return events
    }
}
