package import WhisperEngine

/// The messages of the real-time protocol, version 2.
package struct RealTimeV2: StreamDialect {
    private var sendsPartials = true
    private var reportsDuration = false

    package init() {}

    /// - Throws: `StreamEnd.invalidParameter`.
    package init(query: [(name: String, value: String)]) throws(StreamEnd) {
        for (name, value) in query {
            let parameter = StreamParameter(name: name, value: .string(value))
            switch name {
            case "disable_partial_transcripts": sendsPartials = !(try parameter.bool())
            case "enable_extra_session_information": reportsDuration = try parameter.bool()
            default: break
            }
        }
    }

    package func format(_ parameters: StreamingParameters) -> TurnBuilder.Format { .formattedAtEnd }

    package func clientMessage(_ text: String) throws(StreamEnd) -> ClientMessage {
        try ClientMessage(realTime: text)
    }

    package func beginning(id: SessionID, expires: WallTime, model: String) -> String {
        JSONText.object([
            ("message_type", "\"SessionBegins\""), ("session_id", JSONText.string(id.description)),
            ("expires_at", JSONText.string(expires.assemblyAIText)),
        ])
    }

    package func warning(_ text: String) -> String? { nil }

    package func message(_ turn: Turn, _ parameters: StreamingParameters, at time: WallTime) -> String? {
        guard turn.isEnd || sendsPartials else { return nil }
        let words = turn.words.map { word in
            JSONText.object([
                ("start", "\(word.start)"), ("end", "\(word.end)"),
                ("confidence", JSONText.number(word.confidence)), ("text", JSONText.string(word.text)),
            ])
        }
        var members: [(key: String, value: String)] = [
            ("message_type", turn.isEnd ? "\"FinalTranscript\"" : "\"PartialTranscript\""),
            ("audio_start", "\(turn.words.first?.start ?? 0)"), ("audio_end", "\(turn.words.last?.end ?? 0)"),
            ("confidence", JSONText.number(turn.wordConfidence)), ("text", JSONText.string(turn.text)),
            ("words", JSONText.array(words)), ("created", JSONText.string(time.assemblyAIText)),
        ]
        if turn.isEnd { members += [("punctuated", "true"), ("text_formatted", "true")] }
        return JSONText.object(members)
    }

    package func speechStarted(_ milliseconds: Int) -> String? { nil }

    package func heartbeat(audioSeconds: Double, sessionSeconds: Double, factor: Double) -> String? { nil }

    package func ending(audioSeconds: Double, sessionSeconds: Double) -> [String] {
        var messages: [String] = []
        if reportsDuration {
            messages.append(
                JSONText.object([
                    ("message_type", "\"SessionInformation\""),
                    ("audio_duration_seconds", JSONText.number(audioSeconds)),
                ]))
        }
        return messages + [JSONText.object([("message_type", "\"SessionTerminated\"")])]
    }

    package func closingCode(_ end: StreamEnd) -> Int {
        switch end {
        case .terminated, .disconnected: 1000
        case .shutDown: 1001
        case .unauthorized: 4001
        case .tooManySessions: 4102
        case .invalidJSON: 4100
        case .invalidParameter(name: "sample_rate", _): 4000
        case .invalidParameter(name: "word_boost", _): 4104
        case .invalidMessage, .invalidParameter: 4101
        case .wrongDuration(let milliseconds): milliseconds < 1000 ? 4032 : 4033
        case .tooFast: 4029
        case .tooManyMessages: 1008
        case .expired: 4008
        case .inactive, .idle: 4031
        case .failed, .slowReader: 1011
        }
    }

    package func error(_ message: String, code: Int) -> String {
        JSONText.object([("error", JSONText.string(message))])
    }
}
