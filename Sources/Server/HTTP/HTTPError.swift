/// Why a request is rejected. Each family of routes renders it in the format that its clients expect.
package struct HTTPError: Error, Equatable, Sendable {
    package var status: Int
    /// One sentence of at most 120 characters that says what to do.
    package var message: String
    /// OpenAI's `type`, such as `invalid_request_error`.
    package var type: String
    /// OpenAI's `code`, such as `invalid_value`.
    package var code: String?
    /// The form field that is wrong.
    package var param: String?
    /// Seconds after which the client may try again.
    package var retryAfter: Int?
    /// The methods that are allowed, for 405.
    package var allow: [String]?
    /// What the log says about it; never sent.
    package var cause: String?

    package init(
        _ status: Int, _ message: String, type: String = "invalid_request_error", code: String? = nil,
        param: String? = nil, retryAfter: Int? = nil, allow: [String]? = nil
    ) {
        self.status = status
        self.message = message
        self.type = type
        self.code = code
        self.param = param
        self.retryAfter = retryAfter
        self.allow = allow
    }

    /// A field of a form with a bad value.
    package static func invalid(_ param: String, _ message: String, code: String = "invalid_value") -> HTTPError {
        HTTPError(400, message, code: code, param: param)
    }
}
