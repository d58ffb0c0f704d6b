package import WhisperEngine

/// The parameters with which a client opens a streaming session, some of which it may change later.
package struct StreamingParameters: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        case pcm16 = "pcm_s16le"
        case muLaw = "pcm_mulaw"

        package var samples: SampleEncoding { self == .muLaw ? .mulaw : .s16le }
    }

    /// Samples per second, 8000…96000.
    package var sampleRate = AudioChunk.sampleRate
    package var encoding = Encoding.pcm16
    /// The model that the client named; any name is accepted.
    package var model: String?
    /// Whether words keep Whisper's casing and punctuation.
    package var formatsTurns = false
    /// An utterance whose end is at least this certain ends the turn, 0…1.
    package var endOfTurnThreshold = 0.4
    /// Milliseconds of silence that end an utterance, 100…20,000.
    package var minTurnSilence = 400
    /// Milliseconds of silence that end the turn in any case.
    package var maxTurnSilence = 1280
    /// Probability from which Silero's network, which decides in loud noise, counts a window as speech, 0…1.
    package var speechThreshold = 0.4
    package var keyterms: [String] = []
    package var prompt = ""
    /// Codes of the languages that may be spoken: one to fix it, none to detect any.
    package var languages: [String] = []
    /// Whether turns report their language.
    package var reportsLanguage = false
    /// Seconds without a message after which the session ends, 5…3600; `nil` for no limit.
    package var inactivityTimeout: Int?
    /// Whether the start of speech is reported, which clients of newer models expect.
    package var reportsSpeech = false
    /// Whether the client regularly receives a message with the duration of the audio received.
    package var sendsHeartbeats = false
    /// Whether words and turns have a speaker.
    package var wantsSpeakers = false
    /// How many speakers there may be, 1…10; `nil` for no limit.
    package var maxSpeakers: Int?

    package init() {}

    /// These parameters as settings of a live session.
    package var sessionChange: SessionChange {
        var change = SessionChange()
        change.endSilence = Double(minTurnSilence) / 1000
        change.longSilence = Double(maxTurnSilence) / 1000
        change.speechThreshold = Float(speechThreshold)
        change.initialPrompt = prompt
        change.terms = keyterms.filter { $0.count <= UserVocabulary.maxCharacters }.map { Term($0) }
        change.languages = languages
        return change
    }

    /// Applies what a client changes while the session runs.
    package mutating func apply(_ update: ConfigurationUpdate) {
        formatsTurns = update.formatsTurns ?? formatsTurns
        endOfTurnThreshold = update.endOfTurnThreshold ?? endOfTurnThreshold
        minTurnSilence = update.minTurnSilence ?? minTurnSilence
        maxTurnSilence = update.maxTurnSilence ?? maxTurnSilence
        speechThreshold = update.speechThreshold ?? speechThreshold
        keyterms = update.keyterms ?? keyterms
        prompt = update.prompt ?? prompt
        languages = update.languages ?? languages
    }
}

/// Parameters that a client changes during its session. `nil` leaves a parameter unchanged.
package struct ConfigurationUpdate: Sendable, Equatable {
    package var formatsTurns: Bool?
    package var endOfTurnThreshold: Double?
    package var minTurnSilence: Int?
    package var maxTurnSilence: Int?
    package var speechThreshold: Double?
    package var keyterms: [String]?
    package var prompt: String?
    package var languages: [String]?

    package init() {}
}
