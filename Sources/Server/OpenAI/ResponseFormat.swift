import WhisperEngine

/// How a transcript is written in a response; the raw value is the name in requests.
package enum ResponseFormat: String, Sendable {
    case json, text, srt, vtt
    /// Paragraphs with times and speakers, which the clouds do not have.
    case md
    case verboseJSON = "verbose_json"
    case diarizedJSON = "diarized_json"

    package var contentType: String {
        switch self {
        case .json, .verboseJSON, .diarizedJSON: "application/json"
        case .text, .srt: "text/plain; charset=utf-8"
        case .vtt: "text/vtt; charset=utf-8"
        case .md: "text/markdown; charset=utf-8"
        }
    }

    /// - Parameter allowed: the formats that the requested model supports.
    /// - Throws: 400 if a format is unknown or not allowed.
    init(requested name: String, among allowed: [ResponseFormat]) throws(HTTPError) {
        guard let format = ResponseFormat(rawValue: name), allowed.contains(format) else {
            let names = allowed.map(\.rawValue)
            throw .invalid(
                "response_format",
                "The response format must be \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "").",
                code: ResponseFormat(rawValue: name) == nil ? "invalid_value" : "unsupported_value")
        }
        self = format
    }

    /// The formats that a model with this name supports.
    static func formats(
        of model: String, _ task: TranscriptionTask, _ dialect: OpenAIDialect, isStrict: Bool
    ) -> [ResponseFormat] {
        let isTranscription = task == .transcribe
        if model == ModelNames.diarizing { return [.json, .text] + (isTranscription ? [.diarizedJSON] : []) }
        if isStrict, dialect == .groq { return [.json, .text, .verboseJSON] }
        let plain = [ResponseFormat.json, .text, .srt, .verboseJSON, .vtt]
        return isStrict ? plain : plain + [.md] + (isTranscription ? [.diarizedJSON] : [])
    }
}
