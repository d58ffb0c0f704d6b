import WhisperEngine

/// A request in the format of whisper-asr-webservice, as Bazarr and scripts send it: parameters in the query, and the
/// recording in a form.
package struct ASRRequest: Sendable {
    /// The field with the recording.
    static let recordingField = "audio_file"
    /// What the recording is with `encode=false`; Bazarr sends two hours of it.
    private static let samples = try? RawFormat(encoding: .s16le, sampleRate: AudioChunk.sampleRate, channels: 1)
    /// Seconds.
    private static let times = 0...1e6
    private static let speakers = 1.0...100

    package let recording: Upload
    private let fields: FormFields

    /// - Parameter maxUpload: maximum bytes of a recording in an audio format; that of samples has a limit of its own.
    /// - Throws: 422 if the recording is missing or a parameter has a bad value, 413.
    init(_ request: Request, maxUpload: Int) throws(HTTPError) {
        guard case .form(let form) = request.body else {
            throw HTTPError(415, "Send the recording as multipart/form-data.", code: "unsupported_media_type")
        }
        guard let file = form.file(Self.recordingField) else {
            throw .unprocessable(Self.recordingField, "The recording is missing.", code: "missing")
        }
        recording = file.file
        // The original has all parameters in the query, but scripts send them as fields, too.
        fields = FormFields(MultipartForm(fields: request.head.query + form.fields))
        if try !flag("encode", otherwise: true), let samples = Self.samples {
            recording.declare(samples)
        } else if recording.count > maxUpload {
            throw .tooLarge(limit: maxUpload, param: Self.recordingField)
        }
    }

    /// The format of the answer: `txt` for unknown names, like the original.
    var output: ASROutput {
        get throws(HTTPError) { ASROutput(rawValue: try text("output") ?? "") ?? .txt }
    }

    /// Whether each segment should name its speaker, if this server can do that.
    var hasSpeakers: Bool {
        get throws(HTTPError) { try flag("diarize", otherwise: false) }
    }

    /// The engine's options for a transcription. Parameters that only concern the client's own files are ignored.
    ///
    /// - Throws: 422 if a parameter has a bad value, 400 if the model cannot do it.
    func options(for model: ServedModel, speakers networks: SpeakerNetworks?) throws(HTTPError) -> TranscriptionOptions
    {
        var options = model.defaults
        let task = try text("task").flatMap { $0.isEmpty ? nil : $0 } ?? TranscriptionTask.transcribe.rawValue
        guard let task = TranscriptionTask(rawValue: task) else {
            throw .unprocessable("task", "The task must be transcribe or translate.")
        }
        options.task = task
        if task == .translate { try model.checkTranslation() }
        if let language = try language(text("language") ?? "") { options.language = try model.checked(language).code }
        if let prompt = try text("initial_prompt"), !prompt.isEmpty {
            try model.checkPrompt()
            options.whisper.initialPrompt = prompt
        }
        if try flag("vad_filter", otherwise: false) {
            options.voiceActivity = VoiceActivityOptions(detector: model.detector)
        }
        let wantsWords = try flag("word_timestamps", otherwise: false)
        if try output == .json, wantsWords { options.timeWords() }
        let limits = try speakerLimits()
        options.speakers = networks.map { SpeakerOptions(networks: $0, limits: limits) }
        return options.suited(to: model.traits)
    }

    /// The engine's options for the language of a part of the recording, by default its first 30 seconds.
    func detectionOptions(for model: ServedModel) throws(HTTPError) -> TranscriptionOptions {
        var options = model.defaults
        options.duration = try number("detect_lang_length", in: Self.times) ?? 30
        options.offset = try number("detect_lang_offset", in: Self.times) ?? 0
        return options.suited(to: model.traits)
    }

    private func speakerLimits() throws(HTTPError) -> SpeakerLimits {
        let minimum = try number("min_speakers", in: Self.speakers).map { Int($0) } ?? 1
        let maximum = try number("max_speakers", in: Self.speakers).map { Int($0) }
        guard maximum.map({ $0 >= minimum }) ?? true else {
            throw .unprocessable("max_speakers", "max_speakers must not be below min_speakers.")
        }
        return SpeakerLimits(minimum: minimum, maximum: maximum)
    }

    private func language(_ text: String) throws(HTTPError) -> Language? {
        do throws(HTTPError) {
            return try LanguageField.language(text, isStrict: false)
        } catch {
            throw .unprocessable("language", error.message)
        }
    }

    private func text(_ name: String) throws(HTTPError) -> String? {
        do throws(HTTPError) {
            return try fields.text(name)
        } catch {
            throw .unprocessable(name, error.message)
        }
    }

    private func flag(_ name: String, otherwise: Bool) throws(HTTPError) -> Bool {
        do throws(HTTPError) {
            return try fields.flag(name) ?? otherwise
        } catch {
            throw .unprocessable(name, error.message, code: "bool_parsing")
        }
    }

    private func number(_ name: String, in range: ClosedRange<Double>) throws(HTTPError) -> Double? {
        do throws(HTTPError) {
            return try fields.number(name, in: range)
        } catch {
            throw .unprocessable(name, error.message, code: "float_parsing")
        }
    }
}

extension HTTPError {
    /// A parameter with a bad value, as FastAPI answers it.
    fileprivate static func unprocessable(
        _ param: String, _ message: String, code: String = "value_error"
    ) -> HTTPError {
        HTTPError(422, message, code: code, param: param)
    }
}
