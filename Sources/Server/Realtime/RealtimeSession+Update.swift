package import WhisperEngine

extension RealtimeSession {
    package static let logprobs = "item.input_audio_transcription.logprobs"
    private static let rates = 8000...48_000
    /// Milliseconds.
    private static let times = 0...60_000
    private static let delays = ["minimal", "low", "medium", "high", "xhigh"]

    /// Applies an update: only the members that are present change; `null` clears.
    ///
    /// - Parameters:
    ///   - session: in the present shape, or in the flat one of the beta.
    ///   - isStrict: rejects what the cloud service rejects.
    /// - Throws: 400; nothing has changed then.
    package mutating func update(_ session: JSONValue, isStrict: Bool) throws(HTTPError) {
        guard case .object = session else { throw Self.missing("session") }
        var copy = self
        do {
            try copy.apply(session, isStrict: isStrict)
        } catch let error as HTTPError {
            throw error
        } catch StreamEnd.invalidParameter(let name, let rule) {
            throw Self.bad(name, rule)
        } catch {
            throw Self.bad("session", "valid")
        }
        self = copy
    }

    private mutating func apply(_ session: JSONValue, isStrict: Bool) throws {
        let isFlat = Self.isFlat(session)
        if let type = session["type"], type != .string("transcription") {
            // A session for conversations has the same audio.input.
            guard type == .string("realtime"), !isStrict else { throw Self.bad("session.type", "transcription") }
        } else if isStrict, !isFlat, session["type"] == nil {
            throw Self.missing("session.type")
        }
        if let include = session["include"] { try setInclude(include) }
        let input = isFlat ? session : try Self.object(session["audio"], "session.audio")?["input"]
        let path = isFlat ? "session.input_audio" : "session.audio.input"
        guard let input = try Self.object(input, path) else { return }
        for name in ["format", "transcription", "noise_reduction", "turn_detection"] {
            let isShort = !isFlat || name == "turn_detection"
            guard let value = input[isShort ? name : "input_audio_\(name)"] else { continue }
            let path = isFlat ? (isShort ? "session.\(name)" : "session.input_audio_\(name)") : "\(path).\(name)"
            switch name {
            case "format": try setFormat(value, path, isStrict: isStrict)
            case "transcription": try setTranscription(value, path)
            case "noise_reduction": try setNoiseReduction(value, path)
            default: try setTurns(value, path)
            }
        }
    }

    /// Whether a session has the shape of the beta.
    private static func isFlat(_ session: JSONValue) -> Bool {
        guard case .object(let members) = session, session["audio"] == nil else { return false }
        return members.contains { $0.name.hasPrefix("input_audio_") || $0.name == "turn_detection" }
    }

    private mutating func setInclude(_ value: JSONValue) throws {
        let names = value == .null ? [] : try StreamParameter(name: "session.include", value: value).strings()
        guard names.allSatisfy({ $0 == Self.logprobs }) else { throw Self.bad("session.include", Self.logprobs) }
        wantsLogprobs = !names.isEmpty
    }

    private mutating func setFormat(_ value: JSONValue, _ path: String, isStrict: Bool) throws {
        let name = value["type"]?.string ?? value.string
        switch name {
        case nil where value == .null: format = .pcm(rate: Self.rate)
        case "audio/pcm", "pcm16":
            var rate = Self.rate
            if let value = value["rate"], value != .null {
                rate = try StreamParameter(name: "\(path).rate", value: value).integer(Self.rates)
                if isStrict, rate != Self.rate { throw Self.bad("\(path).rate", "\(Self.rate)") }
            }
            format = .pcm(rate: rate)
        case "audio/pcmu", "g711_ulaw": format = .muLaw
        case "audio/pcma", "g711_alaw": format = .aLaw
        default:
            throw value.string == nil
                ? Self.bad("\(path).type", "audio/pcm, audio/pcmu or audio/pcma")
                : Self.bad(path, "pcm16, g711_ulaw or g711_alaw")
        }
    }

    private mutating func setTranscription(_ value: JSONValue, _ path: String) throws {
        guard let members = try Self.object(value, path) else {
            transcription = nil
            return
        }
        var new = transcription ?? Transcription()
        for name in ["model", "language", "languages", "prompt", "keywords", "delay"] {
            guard let value = members[name] else { continue }
            let path = "\(path).\(name)"
            let isNull = value == .null
            switch name {
            case "model":
                new.model = isNull ? nil : try StreamParameter(name: path, value: value).string()
                if let model = new.model, !ModelNames.isValid(model) { throw Self.bad(path, "1 to 200 characters") }
            case "language":
                new.language = isNull ? nil : try StreamParameter(name: path, value: value).string()
                if let language = new.language { try Self.checkLanguage(language, path) }
                if !isNull { new.languages = nil }
            case "languages":
                new.languages = isNull ? nil : try StreamParameter(name: path, value: value).strings()
                for language in new.languages ?? [] { try Self.checkLanguage(language, path) }
                if !isNull { new.language = nil }
            case "prompt": new.prompt = isNull ? "" : try StreamParameter(name: path, value: value).string()
            case "keywords": new.keywords = isNull ? nil : try StreamParameter(name: path, value: value).strings()
            default:
                new.delay = isNull ? nil : try StreamParameter(name: path, value: value).string()
                if let delay = new.delay, !Self.delays.contains(delay) {
                    throw Self.bad(path, Self.delays.joined(separator: ", "))
                }
            }
        }
        transcription = new
    }

    private static func checkLanguage(_ name: String, _ path: String) throws(HTTPError) {
        _ = try LanguageField.language(name, param: path, isStrict: false)
    }

    private mutating func setNoiseReduction(_ value: JSONValue, _ path: String) throws {
        guard let members = try Self.object(value, path) else {
            noiseReduction = nil
            return
        }
        var new = noiseReduction ?? NoiseReduction(type: "near_field")
        if let type = members["type"] { new.type = try StreamParameter(name: "\(path).type", value: type).string() }
        guard ["near_field", "far_field"].contains(new.type) else {
            throw Self.bad("\(path).type", "near_field or far_field")
        }
        if let strength = members["strength"], strength != .null {
            guard case .number(let text) = strength, let number = Double(text), number.isFinite else {
                throw Self.bad("\(path).strength", "a number")
            }
            new.strength = number
        }
        noiseReduction = new
    }

    private mutating func setTurns(_ value: JSONValue, _ path: String) throws {
        guard let members = try Self.object(value, path) else {
            turns = nil
            return
        }
        var new = turns ?? TurnDetection(.server)
        if let type = members["type"] {
            guard let kind = type.string.flatMap(TurnDetection.Kind.init) else {
                throw Self.bad("\(path).type", "server_vad or semantic_vad")
            }
            if kind != new.kind { new = TurnDetection(kind) }
        }
        for name in [
            "threshold", "prefix_padding_ms", "silence_duration_ms", "eagerness", "create_response",
            "interrupt_response", "idle_timeout_ms",
        ] {
            guard let value = members[name], value != .null else { continue }
            let path = "\(path).\(name)"
            switch name {
            case "threshold": new.threshold = try StreamParameter(name: path, value: value).fraction()
            case "prefix_padding_ms":
                new.prefixPadding = try StreamParameter(name: path, value: value).integer(Self.times)
            case "silence_duration_ms": new.silence = try StreamParameter(name: path, value: value).integer(Self.times)
            case "eagerness":
                guard let eagerness = value.string.flatMap(TurnDetection.Eagerness.init) else {
                    throw Self.bad(path, "low, medium, high or auto")
                }
                new.eagerness = eagerness
            case "create_response": new.createsResponse = try StreamParameter(name: path, value: value).bool()
            case "interrupt_response": new.interruptsResponse = try StreamParameter(name: path, value: value).bool()
            default: new.idleTimeout = try StreamParameter(name: path, value: value).integer(0...3_600_000)
            }
        }
        turns = new
    }

    // MARK: - Values

    /// - Returns: `nil` for `null` and for nothing.
    private static func object(_ value: JSONValue?, _ path: String) throws(HTTPError) -> JSONValue? {
        guard let value, value != .null else { return nil }
        guard case .object = value else { throw bad(path, "an object") }
        return value
    }

    private static func bad(_ path: String, _ rule: String) -> HTTPError {
        .invalid(path, "Invalid value for '\(path)': it must be \(rule).")
    }

    private static func missing(_ path: String) -> HTTPError {
        .invalid(path, "Missing required parameter: '\(path)'.", code: "missing_required_parameter")
    }
}
