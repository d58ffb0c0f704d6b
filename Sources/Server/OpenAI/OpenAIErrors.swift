import WhisperEngine

/// Renders errors as the cloud services do. The server adds the headers that an error requires.
package enum OpenAIErrors {
    package static func response(_ error: HTTPError) -> Response {
        .json(json(error), status: error.status)
    }

    /// `{"error":{…}}` with all four members, on one line.
    package static func json(_ error: HTTPError) -> String {
        let members = [
            ("message", JSONText.string(error.message)), ("type", JSONText.string(error.type)),
            ("param", JSONText.string(error.param)), ("code", JSONText.string(error.code)),
        ]
        return JSONText.object([("error", JSONText.object(members))])
    }
}
