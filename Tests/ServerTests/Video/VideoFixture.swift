import Foundation
import Synchronization
import WhisperEngine
import WhisperServer

/// Answers every recording with the same transcript, or with an error.
final class FixedTranscriber: Transcriber {
    static let transcript: Transcript = {
        func segment(_ start: Double, _ end: Double, _ text: String) -> TranscriptSegment {
            TranscriptSegment(
                id: 0, seek: 0, start: start, end: end, text: text, tokens: [], temperature: 0, avgLogprob: 0,
                compressionRatio: 1, noSpeechProb: 0)
        }
        return Transcript(
            text: " Stir the \"soup\". Serve.", language: "en", duration: 45.1234,
            segments: [segment(0, 2.4, " Stir the \"soup\"."), segment(2.4, 3, " "), segment(3, 4.0625, " Serve.")])
    }()

    private let uploads = Mutex<[[UInt8]]>([])
    private let error: HTTPError?

    init(error: HTTPError? = nil) { self.error = error }

    /// The recordings that came.
    var recordings: [[UInt8]] { uploads.withLock(\.self) }

    func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        let bytes = try upload.bytes(0..<upload.count)
        uploads.withLock { $0.append(bytes) }
        if let error { throw error }
        return Transcription(transcript: Self.transcript, model: model.name, seconds: 1.2345)
    }
}

extension Response {
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}

/// The status and the body of a response.
struct Answer: Equatable {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// The video route without a server.
struct VideoRoute {
    let transcriber: FixedTranscriber
    let cache: TranscriptCache
    private let route: Route

    init(
        _ cache: TranscriptCache, error: HTTPError? = nil, model: String = "nano.en",
        settings change: (inout VideoRoutes.Settings) -> Void = { _ in }
    ) throws {
        self.cache = cache
        transcriber = FixedTranscriber(error: error)
        var settings = VideoRoutes.Settings { ModelStamp(name: $0, path: FilePath("/nowhere")) }
        change(&settings)
        route =
            VideoRoutes.routes(
                transcriber, models: FakeModels([model], answer: .nano), cache: cache, settings: settings)[0]
    }

    func answer(
        _ body: String, authorization: String? = "Bearer token"
    ) async throws -> Answer {
        let response = try await response(body, authorization: authorization)
        return Answer(response.status, response.text)
    }

    func response(_ body: String, authorization: String? = "Bearer token") async throws -> Response {
        let headers = Headers(authorization.map { [("Authorization", $0)] } ?? [])
        let head = RequestHead(method: "POST", path: route.pattern, headers: headers)
        return try await route.respond(Request(head, body: .stored(try Upload(Array(body.utf8)))))
    }

    func refusal(_ error: HTTPError) -> Response { route.refusal(error) }

    var pattern: String { "\(route.method) \(route.pattern)" }
    var needsKey: Bool { route.access == .key }
    var bodyLimit: Int { if case .stored(let limit) = route.body { limit } else { 0 } }
}
