import WhisperEngine

extension StreamingParameters {
    /// Allowed and default values of version 3. Unknown names are ignored.
    ///
    /// - Throws: `StreamEnd.invalidParameter`.
    package init(query: [(name: String, value: String)]) throws(StreamEnd) {
        var update = ConfigurationUpdate()
        let old = query.filter { $0.name == ConfigurationUpdate.oldSilenceName }
        for (name, value) in old + query.filter({ $0.name != ConfigurationUpdate.oldSilenceName }) {
            let parameter = StreamParameter(name: name, value: .string(value))
            switch name {
            case "sample_rate": sampleRate = try parameter.integer(8000...96_000)
            case "encoding": encoding = try Self.encoding(parameter)
            case "speech_model":
                model = value.isEmpty ? nil : value
                reportsSpeech = value.hasPrefix("u3") || value.hasPrefix("universal-3")
            case "language", "language_code":
                update.languages = try parameter.languages([value])
            case "language_detection": reportsLanguage = try parameter.bool()
            case "session_heartbeat": sendsHeartbeats = try parameter.bool()
            case "speaker_labels": wantsSpeakers = try parameter.bool()
            case "max_speakers": maxSpeakers = try parameter.integer(1...10)
            case "inactivity_timeout": inactivityTimeout = try parameter.integer(5...3600)
            default: try update.read(parameter)
            }
        }
        apply(update)
    }

    /// Allowed and default values of version 2, where every pause ends a turn.
    ///
    /// - Throws: `StreamEnd.invalidParameter`.
    package init(realTimeQuery query: [(name: String, value: String)]) throws(StreamEnd) {
        endOfTurnThreshold = 0
        minTurnSilence = 700
        maxTurnSilence = 20_000
        speechThreshold = Double(VoiceActivityOptions.defaultThreshold)
        var rate: Int?
        for (name, value) in query {
            let parameter = StreamParameter(name: name, value: .string(value))
            switch name {
            case "sample_rate": rate = try parameter.integer(8000...96_000)
            case "encoding": encoding = try Self.encoding(parameter)
            case "word_boost": keyterms = try parameter.strings()
            default: break
            }
        }
        guard let rate else {
            throw .invalidParameter(name: "sample_rate", rule: "a whole number from 8000 to 96000")
        }
        sampleRate = rate
    }

    private static func encoding(_ parameter: StreamParameter) throws(StreamEnd) -> Encoding {
        guard let encoding = Encoding(rawValue: try parameter.string()) else {
            throw parameter.invalid(Encoding.allCases.map(\.rawValue).joined(separator: " or "))
        }
        return encoding
    }
}

extension ConfigurationUpdate {
    /// The old name of `min_turn_silence`, which wins if both are given.
    fileprivate static let oldSilenceName = "min_end_of_turn_silence_when_confident"
    /// The names of what can be changed; a later one wins.
    private static let names = [
        oldSilenceName, "end_of_turn_confidence_threshold", "min_turn_silence",
        "max_turn_silence", "vad_threshold", "format_turns", "keyterms_prompt", "prompt", "language_codes",
    ]

    /// The update in a message; members that are `null` are omitted.
    ///
    /// - Throws: `StreamEnd.invalidParameter`.
    init(_ message: JSONValue) throws(StreamEnd) {
        for name in Self.names {
            guard let value = message[name], value != .null else { continue }
            try read(StreamParameter(name: name, value: value))
        }
    }

    /// Reads one parameter; unknown ones are ignored.
    mutating func read(_ parameter: StreamParameter) throws(StreamEnd) {
        switch parameter.name {
        case "end_of_turn_confidence_threshold": endOfTurnThreshold = try parameter.fraction()
        case Self.oldSilenceName, "min_turn_silence":
            minTurnSilence = try parameter.milliseconds(clampedTo: 100...5000)
        case "max_turn_silence": maxTurnSilence = try parameter.milliseconds(clampedTo: 0...3_600_000)
        case "vad_threshold": speechThreshold = try parameter.fraction()
        case "format_turns": formatsTurns = try parameter.bool()
        case "keyterms_prompt": keyterms = try parameter.strings()
        case "prompt": prompt = try parameter.string()
        case "language_codes": languages = try parameter.languages(try parameter.strings())
        default: break
        }
    }
}
