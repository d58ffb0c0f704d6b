import WhisperEngine

/// What a client has set for its session.
package struct RealtimeSession: Sendable, Equatable {
    package enum Format: Sendable, Equatable {
        /// 16-bit samples at a rate.
        case pcm(rate: Int)
        // G.711 at 8 kHz.
        case muLaw, aLaw
    }

    /// How the text is made; what is `nil` was not sent.
    package struct Transcription: Sendable, Equatable {
        /// The name that the client sent.
        package var model: String?
        package var language: String?
        package var languages: [String]?
        package var prompt = ""
        package var keywords: [String]?
        package var delay: String?

        package init() {}
    }

    /// How the server finds where a turn begins and ends.
    package struct TurnDetection: Sendable, Equatable {
        package enum Kind: String, Sendable, CaseIterable {
            case server = "server_vad"
            case semantic = "semantic_vad"
        }

        package enum Eagerness: String, Sendable, CaseIterable {
            case low, medium, high, auto

            /// Seconds of silence that end a turn whose last sentence is not finished.
            var patience: Double {
                switch self {
                case .low: 8
                case .medium, .auto: 4
                case .high: 2
                }
            }
        }

        package var kind: Kind
        /// Probability from which Silero's network, which decides in loud noise, counts a window as speech, 0…1.
        package var threshold = 0.5
        // Milliseconds.
        package var prefixPadding = 300
        package var silence = 500
        package var eagerness = Eagerness.auto
        // Without effect.
        package var createsResponse: Bool?
        package var interruptsResponse: Bool?
        package var idleTimeout: Int?

        package init(_ kind: Kind) { self.kind = kind }
    }

    /// Without effect.
    package struct NoiseReduction: Sendable, Equatable {
        package var type: String
        package var strength: Double?
    }

    /// The rate of PCM in the cloud.
    package static let rate = 24_000
    /// The rate of G.711.
    static let telephoneRate = 8000

    package var format = Format.pcm(rate: rate)
    /// `nil` if no text is wanted.
    package var transcription: Transcription? = Transcription()
    /// `nil` if the client says where turns end.
    package var turns: TurnDetection? = TurnDetection(.server)
    package var noiseReduction: NoiseReduction?
    package var wantsLogprobs = false

    package init() {}

    /// The audio of the session, from its start.
    var audio: StreamAudio {
        switch format {
        case .pcm(let rate): StreamAudio(.s16le, sampleRate: rate)
        case .muLaw: StreamAudio(.mulaw, sampleRate: Self.telephoneRate)
        case .aLaw: StreamAudio(.alaw, sampleRate: Self.telephoneRate)
        }
    }

    /// These parameters as settings of a live session.
    var change: SessionChange {
        var change = SessionChange()
        change.endSilence = turns?.kind == .server ? Double(turns?.silence ?? 0) / 1000 : 0.5
        change.longSilence = turns?.eagerness.patience ?? TurnDetection.Eagerness.auto.patience
        change.speechThreshold = turns.map { Float($0.threshold) } ?? VoiceActivityOptions.defaultThreshold
        change.initialPrompt = transcription?.prompt ?? ""
        change.terms = (transcription?.keywords ?? []).filter { $0.count <= UserVocabulary.maxCharacters }.map {
            Term($0)
        }
        change.languages = languages
        return change
    }

    /// Codes of the languages that may be spoken: one to fix it, none to detect any.
    var languages: [String] {
        guard let transcription else { return [] }
        let names = transcription.language.map { [$0] } ?? transcription.languages ?? []
        let parsed = names.compactMap { (name) -> Language? in
            do throws(HTTPError) { return try LanguageField.language(name, isStrict: false) } catch { return nil }
        }
        return parsed.map(\.code)
    }

    /// Whether text is sent before the client has committed its audio, as in the cloud.
    var isLive: Bool {
        turns != nil || ["gpt-live-transcribe", "gpt-realtime-whisper"].contains(transcription?.model)
    }

    /// Whether speakers are identified.
    var wantsSpeakers: Bool { transcription?.model == ModelNames.diarizing }
}
