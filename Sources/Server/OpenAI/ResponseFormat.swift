/// How a transcript is written in a response; the raw value is the name in requests.
package enum ResponseFormat: String, Sendable {
    case json, text, srt, vtt
    case verboseJSON = "verbose_json"

    package var contentType: String {
        switch self {
        case .json, .verboseJSON: "application/json"
        case .text, .srt: "text/plain; charset=utf-8"
        case .vtt: "text/vtt; charset=utf-8"
        }
    }

    /// - Throws: 400 if a format is unknown, or is not available.
    init(requested name: String, isStrictGroq: Bool) throws(HTTPError) {
        if name == "diarized_json" {
            throw .invalid(
                "response_format", "Speaker labels are not supported. Use json or verbose_json.",
                code: "unsupported_value")
        }
        guard let format = ResponseFormat(rawValue: name) else {
            throw .invalid("response_format", "The response format must be json, text, srt, verbose_json or vtt.")
        }
        if isStrictGroq, format == .srt || format == .vtt {
            throw .invalid("response_format", "The response format must be json, text or verbose_json.")
        }
        self = format
    }
}
