import WhisperEngine

/// The form that the page sends with a recording: `file`, and optionally `model` and `language`.
struct PageForm: Sendable {
    let upload: Upload
    /// `nil` is the default model.
    let model: String?
    private let language: Language?

    init(_ body: RequestBody) throws(HTTPError) {
        guard case .form(let form) = body, let file = form.files.first(where: { $0.name == "file" }) else {
            throw .invalid("file", "The recording is missing. Choose a file.", code: "missing_required_parameter")
        }
        upload = file.file
        model = Self.text("model", in: form)
        do {
            language = try Self.text("language", in: form).map { try Language($0) }
        } catch {
            throw .invalid("language", "This language is unknown. Choose another, or let it be detected.")
        }
    }

    /// The engine's options.
    ///
    /// - Throws: 400 if the model does not know the language.
    func options(for model: ServedModel) throws(HTTPError) -> TranscriptionOptions {
        var options = model.defaults
        options.timeWords()
        if let language { options.language = try model.checked(language).code }
        return options.suited(to: model.traits)
    }

    /// A field's value unless it is empty.
    private static func text(_ name: String, in form: MultipartForm) -> String? {
        form.fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}
