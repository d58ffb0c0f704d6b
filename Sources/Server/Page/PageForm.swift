import WhisperEngine

/// The form that the page sends with a recording: `file`, and optionally `model`, `language`, `task`, `speakers` and
/// `terms`.
struct PageForm: Sendable {
    let upload: Upload
    /// `nil` is the default model.
    let model: String?
    /// Whether to identify the speakers.
    let hasSpeakers: Bool
    private let language: Language?
    private let task: TranscriptionTask
    /// Names, terms and rules that the user has written into the page.
    private let vocabulary: UserVocabulary

    init(_ body: RequestBody) throws(HTTPError) {
        guard case .form(let form) = body, let file = form.files.first(where: { $0.name == "file" }) else {
            throw .invalid("file", "The recording is missing. Choose a file.", code: "missing_required_parameter")
        }
        upload = file.file
        let fields = FormFields(form)
        func text(_ name: String) throws(HTTPError) -> String? {
            try fields.text(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        model = try text("model")
        do {
            language = try text("language").map { try Language($0) }
        } catch {
            throw .invalid("language", "This language is unknown. Choose another, or let it be detected.")
        }
        guard let task = TranscriptionTask(rawValue: try text("task") ?? TranscriptionTask.transcribe.rawValue) else {
            throw .invalid("task", "The task must be transcribe or translate.")
        }
        self.task = task
        hasSpeakers = try fields.flag("speakers") ?? false
        vocabulary = try Self.vocabulary(text("terms") ?? "")
    }

    /// The engine's options.
    ///
    /// - Throws: 400 if the model cannot do it.
    func options(for model: ServedModel, speakers networks: SpeakerNetworks?) throws(HTTPError) -> TranscriptionOptions
    {
        var options = model.defaults
        options.timeWords()
        options.task = task
        if task == .translate { try model.checkTranslation() }
        if let language { options.language = try model.checked(language).code }
        options.add(vocabulary)
        options.speakers = networks.map { SpeakerOptions(networks: $0) }
        return options.suited(to: model.traits)
    }

    private static func vocabulary(_ text: String) throws(HTTPError) -> UserVocabulary {
        do {
            return try UserVocabulary(text)
        } catch .invalid(_, let line, _, let problem) {
            throw .invalid("terms", String("Your words, line \(line): \(problem.description).".prefix(120)))
        } catch {
            throw .invalid("terms", "Your words cannot be used: write one a line.")
        }
    }
}
