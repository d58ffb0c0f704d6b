import WhisperEngine

/// The form that the page sends with a recording: `file`, and optionally `model` and `language`.
struct PageForm: Sendable {
    let upload: Upload
    /// `nil` is the default model.
    let model: String?
    let options: TranscriptionOptions

    init(_ body: RequestBody) throws(HTTPError) {
        guard case .form(let form) = body, let file = form.files.first(where: { $0.name == "file" }) else {
            throw .invalid("file", "The recording is missing. Choose a file.", code: "missing_required_parameter")
        }
        upload = file.file
        model = Self.text("model", in: form)
        var options = TranscriptionOptions()
        options.timeWords()
        if let language = Self.text("language", in: form) {
            do {
                options.language = try Language(language).code
            } catch {
                throw .invalid("language", "This language is unknown. Choose another, or let it be detected.")
            }
        }
        self.options = options
    }

    /// A field's value unless it is empty.
    private static func text(_ name: String, in form: MultipartForm) -> String? {
        form.fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}
