/// Where a new session comes from.
public struct SessionOrigin: Sendable, Hashable {
    /// The microphone's or the file's name.
    public var source: String
    public var model: String
    /// Code of the language where it was given.
    public var language: String?
    /// The session's options as one JSON object.
    public var options: String

    public init(source: String, model: String, language: String? = nil, options: String = "{}") {
        self.source = source
        self.model = model
        self.language = language
        self.options = options
    }
}
