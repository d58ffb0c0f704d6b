/// How the routes of OpenAI and Groq behave.
package struct OpenAISettings: Sendable {
    /// Rejects what the cloud services reject, instead of accepting everything that makes sense.
    package var isStrict = false
    /// Responds with 404 for models that are neither installed nor known by name.
    package var hasStrictModels = false
    /// Maximum bytes of a recording.
    package var maxUpload = Self.defaultMaxUpload
    /// How often a comment is sent on an event stream, so that clients and proxies do not time out.
    package var keepAlive = Duration.seconds(15)
    /// When the models were made available: seconds since 1970.
    package var created = 0

    package static let defaultMaxUpload = 100 << 20
    /// More than any disk has room for: where only programs on this machine can connect, they could fill it anyway.
    package static let unlimitedUpload = 1 << 50
    /// OpenAI's limit on an upload in bytes.
    private static let strictMaxUpload = 25 << 20

    package init() {}

    package var fileLimit: Int { isStrict ? min(maxUpload, Self.strictMaxUpload) : maxUpload }
}

/// Which cloud's address a request was sent to.
package enum OpenAIDialect: Sendable {
    case openAI
    /// Adds `x_groq` to JSON.
    case groq
}
