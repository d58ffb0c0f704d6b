package import WhisperEngine

extension TranscriptionForm {
    /// The engine's options for this request.
    ///
    /// The engine itself uses the last 223 tokens of the prompt.
    ///
    /// - Parameter speakers: identify the speakers, for `diarized_json`.
    /// - Throws: 400 if the model cannot do it.
    package func options(
        for model: ServedModel, speakers networks: SpeakerNetworks? = nil
    ) throws(HTTPError) -> TranscriptionOptions {
        var options = model.defaults
        options.task = task
        if task == .translate { try model.checkTranslation() }
        let assumed = ModelNames.meansEnglish(self.model) ? Language.all.first { $0.code == "en" } : nil
        if let language = language ?? (languages.count == 1 ? languages.first : nil) ?? assumed {
            options.language = try model.checked(language).code
        } else if languages.count > 1 {
            try model.check(languages)
            (options.language, options.languages) = (nil, languages.map(\.code))
        }
        var vocabulary = UserVocabulary()
        for keyword in keywords { vocabulary.add(Term(keyword)) }
        options.add(vocabulary)
        if prompt != nil { try model.checkPrompt() }
        options.whisper.initialPrompt = prompt
        if temperature > 0 {
            try model.checkTemperature()
            options.whisper.temperatures = [temperature]
        }
        if hasWords { options.timeWords() }
        options.tokenLogprobs = hasLogprobs
        options.speakers = networks.map { SpeakerOptions(networks: $0, names: speakers.all) }
        options.voiceActivity = chunking?.options(with: model.detector)
        return options.suited(to: model.traits)
    }
}
