import WhisperEngine

/// The list of models: the installed ones, and the names of cloud models that refer to them.
package struct OpenAIModels: Sendable {
    let models: any ModelProvider
    /// Whether Groq's additional members are added.
    let dialect: OpenAIDialect
    /// Seconds since 1970.
    let created: Int

    package init(_ models: any ModelProvider, dialect: OpenAIDialect, created: Int) {
        self.models = models
        self.dialect = dialect
        self.created = created
    }

    package var list: Response {
        var seen: Set<String> = []
        let names = (models.names + ModelNames.aliases).filter { seen.insert($0).inserted }
        let data = JSONText.array(names.map(object))
        return .json(JSONText.object([("object", JSONText.string("list")), ("data", data)]))
    }

    /// - Throws: 404 if the name is unknown.
    package func model(_ name: String) throws(HTTPError) -> Response {
        guard ModelNames.isValid(name), ModelNames(models).model(for: name) != nil else { throw .noModel(name) }
        return .json(object(name))
    }

    private func object(_ name: String) -> String {
        var members = [
            ("id", JSONText.string(name)), ("object", JSONText.string("model")), ("created", "\(created)"),
            ("owned_by", JSONText.string("whisper-local")),
        ]
        // The context is the model's number of text tokens, the same for all Whisper models.
        if dialect == .groq { members += [("active", "true"), ("context_window", "448")] }
        return JSONText.object(members)
    }
}

extension HTTPError {
    /// There is no such model.
    static func noModel(_ name: String) -> HTTPError {
        let shown = String(name.replacingControlCharacters().prefix(40))
        return HTTPError(
            404, "The model `\(shown)` does not exist. GET /v1/models lists the models.", code: "model_not_found",
            param: "model")
    }
}
