package import WhisperEngine

/// The messages of the Universal-Streaming protocol, version 3.
package struct StreamingV3: StreamDialect {
    /// Whether messages also carry the names of version 2, for clients that mix both.
    package let isHybrid: Bool

    package init(isHybrid: Bool = false) { self.isHybrid = isHybrid }

    package func format(_ parameters: StreamingParameters) -> TurnBuilder.Format {
        parameters.formatsTurns ? .formatted : .plain
    }

    package func clientMessage(_ text: String) throws(StreamEnd) -> ClientMessage { try ClientMessage(text) }

    package func beginning(id: SessionID, expires: WallTime, model: String) -> String {
        var members: [(key: String, value: String)] = [
            ("type", "\"Begin\""), ("id", JSONText.string(id.description)),
            ("expires_at", "\(expires.milliseconds / 1000)"),
            (
                "configuration",
                JSONText.object([
                    ("model", JSONText.string(model)), ("mode", "null"), ("api_version", "\"1.0.0\""),
                ])
            ),
        ]
        if isHybrid {
            members += [
                ("message_type", "\"SessionBegins\""), ("session_id", JSONText.string(id.description)),
                ("text", "\"\""),
            ]
        }
        return JSONText.object(members)
    }

    package func warning(_ text: String) -> String? {
        // The number of the error for a parameter that cannot be used.
        JSONText.object([("type", "\"Warning\""), ("warning_code", "3006"), ("warning", JSONText.string(text))])
    }

    package func message(_ turn: Turn, _ parameters: StreamingParameters, at time: WallTime) -> String? {
        let words = turn.words.map { word in
            JSONText.object(
                [
                    ("text", JSONText.string(word.text)), ("start", "\(word.start)"), ("end", "\(word.end)"),
                    ("confidence", JSONText.number(word.confidence)), ("word_is_final", "\(word.isFinal)"),
                ] + (word.speaker.map { [("speaker", JSONText.string($0))] } ?? []))
        }
        var members: [(key: String, value: String)] = [
            ("turn_order", "\(turn.order)"), ("turn_is_formatted", "\(turn.isFormatted)"),
            ("end_of_turn", "\(turn.isEnd)"), ("transcript", JSONText.string(turn.transcript)),
            ("end_of_turn_confidence", JSONText.number(turn.confidence)), ("words", JSONText.array(words)),
            ("utterance", JSONText.string(turn.utterance)),
        ]
        if parameters.reportsLanguage, !turn.utterance.isEmpty || turn.isEnd, let language = turn.language {
            members += [
                ("language_code", JSONText.string(language.code)),
                ("language_confidence", JSONText.number(language.probability)),
            ]
        }
        if let speaker = turn.speaker { members.append(("speaker_label", JSONText.string(speaker))) }
        members.append(("type", "\"Turn\""))
        if isHybrid {
            members += [
                ("message_type", turn.isEnd ? "\"FinalTranscript\"" : "\"PartialTranscript\""),
                ("text", JSONText.string(turn.text)), ("confidence", JSONText.number(turn.wordConfidence)),
                ("audio_start", "\(turn.words.first?.start ?? 0)"), ("audio_end", "\(turn.words.last?.end ?? 0)"),
                ("created", JSONText.string(time.assemblyAIText)),
            ]
        }
        return JSONText.object(members)
    }

    package func speechStarted(_ milliseconds: Int) -> String? {
        JSONText.object([("type", "\"SpeechStarted\""), ("timestamp", "\(milliseconds)")])
    }

    package func heartbeat(audioSeconds: Double, sessionSeconds: Double, factor: Double) -> String? {
        JSONText.object([
            ("type", "\"Heartbeat\""), ("total_audio_received_ms", "\(Int((audioSeconds * 1000).rounded()))"),
            ("total_duration_ms", "\(Int((sessionSeconds * 1000).rounded()))"),
            ("realtime_factor", JSONText.number((factor * 1000).rounded() / 1000)),
        ])
    }

    package func ending(audioSeconds: Double, sessionSeconds: Double) -> [String] {
        [
            JSONText.object([
                ("type", "\"Termination\""), ("audio_duration_seconds", "\(Int(audioSeconds.rounded()))"),
                ("session_duration_seconds", "\(Int(sessionSeconds.rounded()))"),
            ])
        ]
    }

    package func closingCode(_ end: StreamEnd) -> Int {
        switch end {
        case .terminated, .disconnected: 1000
        case .shutDown: 1001
        case .unauthorized, .tooManyMessages: 1008
        case .tooManySessions: 3009
        case .invalidJSON, .invalidMessage, .invalidParameter: 3006
        case .wrongDuration, .tooFast: 3007
        case .expired: 3008
        case .inactive, .idle, .failed, .slowReader: 3005
        }
    }

    package func error(_ message: String, code: Int) -> String {
        JSONText.object([("type", "\"Error\""), ("error_code", "\(code)"), ("error", JSONText.string(message))])
    }
}
