import WhisperEngine

/// Why a request for the transcript of a video is rejected, in the formats that the application expects.
enum VideoRefusal: Error, Equatable {
    case noToken
    case wrongToken
    case invalidJSON
    case missingFields
    case invalidPlatform
    /// - Parameter bytes: size of the recording.
    case tooLarge(bytes: Int)
    case audioRequired
    case invalidAudio
    /// - Parameter status: 500, or one that asks for another attempt.
    case failed(reason: String, status: Int = 500, retryAfter: Int? = nil)
    /// Any other reason.
    case other(status: Int, message: String, retryAfter: Int? = nil)

    /// An error from the server, before the route sees the request.
    init(_ error: HTTPError) {
        self =
            switch error.status {
            case 401: error == .noKey ? .noToken : .wrongToken
            default: .other(status: error.status, message: error.message, retryAfter: error.retryAfter)
            }
    }

    /// A recognition that failed.
    static func failed(_ error: HTTPError) -> VideoRefusal {
        // The application does not retry by itself, but other clients of this route may.
        let isTemporary = error.retryAfter != nil || error.status == 503
        return .failed(
            reason: error.message, status: isTemporary ? error.status : 500, retryAfter: error.retryAfter)
    }

    var response: Response {
        var response = Response.json(JSONText.object(members), status: status)
        switch self {
        case .failed(_, _, let seconds?), .other(_, _, let seconds?): response.headers.add("Retry-After", "\(seconds)")
        case .failed: response.headers.add("x-should-retry", "false")
        default: break
        }
        return response
    }

    private var status: Int {
        switch self {
        case .noToken, .wrongToken: 401
        case .failed(_, let status, _), .other(let status, _, _): status
        default: 400
        }
    }

    private var members: [(key: String, value: String)] {
        switch self {
        case .noToken: Self.error("No token provided")
        case .wrongToken: Self.error("Invalid token")
        case .invalidJSON: Self.error("Invalid JSON")
        case .missingFields: Self.error("Missing required fields") + [("required", #"["videoUrl","platform"]"#)]
        case .invalidPlatform:
            Self.error("Invalid platform")
                + [("allowed", JSONText.array(VideoLink.Platform.allCases.map { JSONText.string($0.rawValue) }))]
        case .tooLarge(let bytes):
            [("success", "false")]
                + Self.error("Audio file too large", "Audio must be under 25 MB. Please send a shorter clip.")
                + [
                    ("maxSizeMB", "\(EncodedAudio.limit >> 20)"),
                    ("actualSizeMB", JSONText.number(Double(bytes) / Double(1 << 20), decimals: 10)),
                ]
        case .audioRequired:
            Self.error(
                "Audio data required", "Video not in cache. Please provide audioData (base64 encoded audio)")
        case .invalidAudio:
            [("success", "false")] + Self.error("Invalid audio data", "audioData is not valid base64")
        case .failed(let reason, _, _):
            [("success", "false")]
                + Self.error("Transcription failed", "Whisper transcription failed: \(reason)")
        case .other(_, let message, _): Self.error(message)
        }
    }

    private static func error(_ error: String, _ message: String? = nil) -> [(key: String, value: String)] {
        [("error", JSONText.string(error))] + (message.map { [("message", JSONText.string($0))] } ?? [])
    }
}
