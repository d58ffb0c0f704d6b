import Foundation
import Synchronization
import WhisperEngine
import WhisperServer

/// Transcripts, forms and stand-ins for the recognizer.
enum TranscriptSample {
    /// Two segments with times, tokens and words as the engine makes them.
    static var beach: Transcript {
        var first = TranscriptSegment(
            id: 0, seek: 0, start: 0, end: 3.319_999_7, text: " The beach was full;",
            tokens: [50364, 440, 7534, 50530],
            temperature: 0, avgLogprob: -0.286_078_6, compressionRatio: 1.235_294_1, noSpeechProb: 0.009_851_6)
        first.words = [
            TranscriptWord(word: " The", start: 0, end: 0.4, probability: 1),
            TranscriptWord(word: " beach", start: 0.4, end: 1.0, probability: 0.5),
            TranscriptWord(word: " was", start: 1, end: 1.5, probability: 0.25),
            TranscriptWord(word: " full;", start: 1.5, end: 3.3199, probability: 0),
        ]
        let blank = TranscriptSegment(
            id: 1, seek: 0, start: 3.32, end: 3.32, text: " ", tokens: [], temperature: 0, avgLogprob: 0,
            compressionRatio: 0, noSpeechProb: 0)
        var last = TranscriptSegment(
            id: 2, seek: 332, start: 3661.5, end: 3663, text: " \"volleyball\" --> 50%.", tokens: [50530],
            temperature: 0.4, avgLogprob: -.infinity, compressionRatio: .nan, noSpeechProb: 1e-9)
        last.words = [
            TranscriptWord(word: " \"volleyball\"", start: 3661.5, end: 3662, probability: 0.9),
            TranscriptWord(word: " -->", start: 3662, end: 3662.2, probability: 0.9),
            TranscriptWord(word: " 50%.", start: 3662.2, end: 3663, probability: 0.9),
        ]
        return Transcript(
            text: " The beach was full; \"volleyball\" --> 50%.", language: "en", duration: 8.47,
            segments: [first, blank, last])
    }

    /// The tokenizer of English models.
    static let tokenizer = Tokenizer(vocabulary: .builtIn(size: 51864))

    /// The same with the log probabilities of the tokens. The last segment has a character of several tokens.
    static var logprobs: Transcript {
        var transcript = beach
        let words = tokenizer.encode(" The beach"), emoji = tokenizer.encode(" \u{1f600}")
        transcript.segments[0].tokens = [50363] + words + [50463]
        transcript.segments[0].tokenLogprobs = [-9] + words.indices.map { $0 == 0 ? 0 : -0.693_147_18 } + [-9]
        transcript.segments[2].tokens = emoji
        transcript.segments[2].tokenLogprobs = emoji.map { _ in -.infinity }
        return transcript
    }

    /// Two people in three segments, and one segment whose speaker is not known.
    static var conversation: Transcript {
        func segment(_ id: Int, _ text: String, _ speaker: String?) -> TranscriptSegment {
            var segment = TranscriptSegment(
                id: id, seek: 0, start: Double(id), end: Double(id) + 0.5, text: text, tokens: [], temperature: 0,
                avgLogprob: 0, compressionRatio: 1, noSpeechProb: 0)
            segment.speaker = speaker
            return segment
        }
        return Transcript(
            text: " Hello. Yes? It rains.", language: "en", duration: 3.5,
            segments: [
                segment(0, " Hello.", "Ann"), segment(1, " Yes?", "A"), segment(2, "", nil),
                segment(3, " It rains.", nil),
            ])
    }

    static let silence = Transcript(text: "", language: "en", duration: 2, segments: [])

    static let wave = Recordings.bytes("clips/say-00.wav")

    /// - Parameter file: `nil` leaves the recording out.
    static func form(_ fields: [(String, String)], file: [UInt8]? = wave) throws -> MultipartForm {
        MultipartForm(
            fields: fields.map { (name: $0.0, value: $0.1) },
            files: try file.map { [MultipartForm.File(name: "file", file: try Upload($0))] } ?? [])
    }

    /// Whose requests these are.
    static let client = "127.0.0.1"

    static func request(
        _ path: String, _ fields: [(String, String)], file: [UInt8]? = wave,
        headers: [(name: String, value: String)] = []
    ) throws -> Request {
        Request(
            RequestHead(method: "POST", path: path, headers: Headers(headers), client: client, id: "req_test"),
            body: .form(try form(fields, file: file)))
    }
}

/// Models of which only `nano.en` exists.
struct StubModels: ModelProvider {
    let served: ServedModel
    var defaultModel = "nano.en"
    var names = ["nano.en"]

    /// - Parameter isMultilingual: what the model claims to be.
    init(isMultilingual: Bool = false) async throws {
        let recognizer = try await NanoModel.shared.recognizer()
        var traits = recognizer.model.traits
        if isMultilingual {
            traits.languages = Language.all
            traits.translation = .trained
        }
        served = ServedModel(name: "nano.en", recognizer: recognizer, defaults: TranscriptionOptions(), traits: traits)
    }

    /// A model that finds one of three languages itself, with neither prompt nor temperature nor translation.
    static var plain: ServedModel {
        get async throws {
            let recognizer = try await NanoModel.shared.recognizer()
            var traits = ModelTraits(
                family: "Plain", languages: Language.all.filter { ["en", "de", "fr"].contains($0.code) },
                vocabularySize: 100, longestWindow: 30)
            traits.takesLanguage = false
            return ServedModel(name: "plain", recognizer: recognizer, defaults: TranscriptionOptions(), traits: traits)
        }
    }

    func traits(of name: String) -> ModelTraits? { served.traits }

    func model(_ requested: String?) async throws(HTTPError) -> ServedModel { served }
}

/// The smallest model, loaded once.
actor NanoModel {
    static let shared = NanoModel()
    private let loading = Task {
        try await Recognizer(model: Recordings.root.appending(path: "Models/nano.en.ggml.bin").path)
    }

    func recognizer() async throws -> Recognizer { try await loading.value }
}

/// Returns a given transcript and remembers what it was asked for.
final class StubTranscriber: Transcriber {
    struct Call: Sendable {
        let model: String
        let options: TranscriptionOptions
        let client: String
    }

    private let calls = Mutex<[Call]>([])
    private let answer: @Sendable (@Sendable (TranscriptUpdate) -> Void) async throws(HTTPError) -> Transcript

    init(
        _ answer: @escaping @Sendable (@Sendable (TranscriptUpdate) -> Void) async throws(HTTPError) -> Transcript
    ) {
        self.answer = answer
    }

    /// Reports the segments of a transcript that have text, then returns it.
    convenience init(_ transcript: Transcript = TranscriptSample.beach) {
        self.init { (updates) async throws(HTTPError) in
            for segment in transcript.segments where !segment.text.isEmpty {
                updates(.volatile(segment))
                updates(.final(segment))
            }
            return transcript
        }
    }

    var lastCall: Call? { calls.withLock(\.last) }

    func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        calls.withLock { $0.append(Call(model: model.name, options: options, client: client)) }
        return Transcription(transcript: try await answer(updates), model: model.name, seconds: 1.25)
    }
}

/// Transcribes with the model.
struct NanoTranscriber: Transcriber {
    func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        do {
            let transcript = try await model.recognizer.transcribe(upload.open(), options: options, updates: updates)
            return Transcription(transcript: transcript, model: model.name, seconds: 0.5)
        } catch {
            throw HTTPError(recognition: error)
        }
    }
}

extension Response {
    /// The body as text; a stream is read to its end, or until it fails.
    func text() async -> String {
        switch body {
        case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .stream(let stream, _):
            var bytes: [UInt8] = []
            do {
                for try await chunk in stream { bytes += chunk }
            } catch {
                bytes += Array("cut off: \(error)".utf8)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension [Route] {
    /// The answer of the route for a request, as the server sends it.
    func respond(to request: Request) async -> Response {
        let route = first { route in
            guard route.method == request.head.method else { return false }
            guard let brace = route.pattern.firstIndex(of: "{") else { return route.pattern == request.head.path }
            return request.head.path.hasPrefix(String(route.pattern[..<brace]))
        }
        guard let route else { return Response.text("no route", type: "text/plain", status: 404) }
        do throws(HTTPError) {
            return try await route.respond(request)
        } catch {
            return route.refusal(error)
        }
    }
}
