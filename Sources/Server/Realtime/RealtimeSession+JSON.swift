import WhisperEngine

extension RealtimeSession {
    /// The session as clients get it.
    ///
    /// - Parameters:
    ///   - model: shown if the client has named none.
    ///   - expires: seconds since 1970.
    func json(id: String, model: String, expires: Int) -> String {
        let format =
            switch format {
            case .pcm(let rate): [("type", JSONText.string("audio/pcm")), ("rate", "\(rate)")]
            case .muLaw: [("type", JSONText.string("audio/pcmu"))]
            case .aLaw: [("type", JSONText.string("audio/pcma"))]
            }
        let input = JSONText.object([
            ("format", JSONText.object(format)), ("transcription", transcriptionJSON(model)),
            ("noise_reduction", noiseReductionJSON), ("turn_detection", turnsJSON),
        ])
        return JSONText.object([
            ("type", JSONText.string("transcription")), ("object", JSONText.string(Self.object)),
            ("id", JSONText.string(id)), ("expires_at", "\(expires)"),
            ("audio", JSONText.object([("input", input)])), ("include", includeJSON),
        ])
    }

    /// The session in the flat shape of the beta.
    ///
    /// - Parameter secret: of a session that is to be opened; its clients require one in any case.
    func flatJSON(id: String, model: String, expires: Int, secret: (value: String, expires: Int)? = nil) -> String {
        let format =
            switch format {
            case .pcm: "pcm16"
            case .muLaw: "g711_ulaw"
            case .aLaw: "g711_alaw"
            }
        let secret = JSONText.object([
            ("value", JSONText.string(secret?.value ?? "")), ("expires_at", "\(secret?.expires ?? 0)"),
        ])
        return JSONText.object([
            ("id", JSONText.string(id)), ("object", JSONText.string(Self.object)), ("expires_at", "\(expires)"),
            ("client_secret", secret), ("modalities", JSONText.array([JSONText.string("text")])),
            ("input_audio_format", JSONText.string(format)), ("input_audio_transcription", transcriptionJSON(model)),
            ("input_audio_noise_reduction", noiseReductionJSON), ("turn_detection", turnsJSON),
            ("include", includeJSON),
        ])
    }

    private static let object = "realtime.transcription_session"

    private var includeJSON: String {
        wantsLogprobs ? JSONText.array([JSONText.string(Self.logprobs)]) : "null"
    }

    private func transcriptionJSON(_ model: String) -> String {
        guard let transcription else { return "null" }
        var members = [
            ("model", JSONText.string(transcription.model ?? model)),
            ("language", JSONText.string(transcription.language)), ("prompt", JSONText.string(transcription.prompt)),
        ]
        if let languages = transcription.languages { members.append(("languages", Self.list(languages))) }
        if let keywords = transcription.keywords { members.append(("keywords", Self.list(keywords))) }
        if let delay = transcription.delay { members.append(("delay", JSONText.string(delay))) }
        return JSONText.object(members)
    }

    private static func list(_ texts: [String]) -> String { JSONText.array(texts.map { JSONText.string($0) }) }

    private var noiseReductionJSON: String {
        guard let noiseReduction else { return "null" }
        var members = [("type", JSONText.string(noiseReduction.type))]
        if let strength = noiseReduction.strength { members.append(("strength", JSONText.number(strength))) }
        return JSONText.object(members)
    }

    private var turnsJSON: String {
        guard let turns else { return "null" }
        var members = [("type", JSONText.string(turns.kind.rawValue))]
        switch turns.kind {
        case .server:
            members += [
                ("threshold", JSONText.number(turns.threshold)), ("prefix_padding_ms", "\(turns.prefixPadding)"),
                ("silence_duration_ms", "\(turns.silence)"),
            ]
        case .semantic: members.append(("eagerness", JSONText.string(turns.eagerness.rawValue)))
        }
        if let creates = turns.createsResponse { members.append(("create_response", "\(creates)")) }
        if let interrupts = turns.interruptsResponse { members.append(("interrupt_response", "\(interrupts)")) }
        if let timeout = turns.idleTimeout { members.append(("idle_timeout_ms", "\(timeout)")) }
        return JSONText.object(members)
    }
}
