package import WhisperEngine

/// A request in the format of whisper.cpp's server.
package struct WhisperCppForm: Sendable {
    package enum Format: String, Sendable {
        case json, text, srt, vtt
        case verboseJSON = "verbose_json"
    }

    package let recording: Upload
    /// `json` for unknown names, like the original.
    package let format: Format
    package let hasTimestamps: Bool
    private let fields: FormFields

    /// - Throws: 400 if the file is missing or a field has a bad value.
    package init(_ form: MultipartForm) throws(HTTPError) {
        guard let file = form.file("file") else { throw HTTPError(400, "no 'file' field in the request") }
        fields = FormFields(form)
        recording = file.file
        format = Format(rawValue: try fields.text("response_format") ?? "") ?? .json
        hasTimestamps = !(try fields.flag("no_timestamps") ?? false)
    }

    /// The engine's options. Fields that only control whisper.cpp's own search, or one that the model does not have, are
    /// ignored.
    ///
    /// - Throws: 400 if a field has a bad value, or the model cannot do it.
    package func options(for model: ServedModel) throws(HTTPError) -> TranscriptionOptions {
        var options = model.defaults
        try setLanguageAndTask(&options, model)
        try setDecoding(&options, model)
        options.whisper.initialPrompt = try fields.text("prompt").flatMap { $0.isEmpty ? nil : $0 }
        if options.whisper.initialPrompt != nil { try model.checkPrompt() }
        options.whisper.carryInitialPrompt = try fields.flag("carry_initial_prompt") ?? false
        if try whole("max_context", -1...100_000) == 0 { options.whisper.conditionOnPreviousText = false }
        options.whisper.decoding.withoutTimestamps = !hasTimestamps
        if format == .verboseJSON, hasTimestamps { options.timeWords() }
        options.offset = Double(try whole("offset_t", 0...1_000_000_000) ?? 0) / 1000
        if let milliseconds = try whole("duration", 0...1_000_000_000), milliseconds > 0 {
            options.duration = Double(milliseconds) / 1000
        }
        if let positions = try whole("audio_ctx", 0...1500), positions > 0 {
            options.whisper.audioContext = .positions(positions)
        }
        options.voiceActivity = try voiceActivity(model.detector)
        return options.suited(to: model.traits)
    }

    private func setLanguageAndTask(_ options: inout TranscriptionOptions, _ model: ServedModel) throws(HTTPError) {
        if try fields.flag("translate") ?? false {
            try model.checkTranslation()
            options.task = .translate
        }
        let detects = try fields.flag("detect_language") ?? false
        let text = try detects ? "auto" : fields.text("language") ?? "en"
        if let language = try LanguageField.language(text, isStrict: false) {
            options.language = try model.checked(language).code
        }
    }

    private func setDecoding(_ options: inout TranscriptionOptions, _ model: ServedModel) throws(HTTPError) {
        let first = try fields.number("temperature", in: 0...1) ?? 0
        if first > 0 { try model.checkTemperature() }
        let step = try fields.number("temperature_inc", in: 0...1) ?? 0.2
        // The temperatures up to 1, without accumulating rounding errors.
        let count = step > 0.01 ? Int((1 - first + 1e-6) / step) : 0
        options.whisper.temperatures = (0...count).map { ((first + Double($0) * step) * 1e6).rounded() / 1e6 }
        if let beams = try whole("beam_size", -1...16), beams > 0 { options.beamSize = beams }
        if let samples = try whole("best_of", -1...16), samples > 0 { options.whisper.decoding.bestOf = samples }
        if let threshold = try fields.number("logprob_thold", in: -100...100) {
            options.whisper.logprobThreshold = threshold
        }
        if let threshold = try fields.number("no_speech_thold", in: 0...1) {
            options.whisper.noSpeechThreshold = threshold
        }
    }

    private func voiceActivity(_ detector: VoiceActivityOptions.Detector) throws(HTTPError) -> VoiceActivityOptions? {
        guard try fields.flag("vad") ?? false else { return nil }
        let threshold = try fields.number("vad_threshold", in: 0...1) ?? 0.5
        var options = VoiceActivityOptions(detector: detector.withThreshold(threshold))
        // whisper.cpp's defaults.
        options.minSpeechMilliseconds = try whole("vad_min_speech_duration_ms", 0...10_000) ?? 250
        options.minSilenceMilliseconds = try whole("vad_min_silence_duration_ms", 0...10_000) ?? 100
        options.speechPadMilliseconds = try whole("vad_speech_pad_ms", 0...10_000) ?? 30
        return options
    }

    /// A whole number in a range; `nil` if it is absent.
    private func whole(_ name: String, _ range: ClosedRange<Int>) throws(HTTPError) -> Int? {
        guard let text = try fields.text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(
                name, "The field \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
