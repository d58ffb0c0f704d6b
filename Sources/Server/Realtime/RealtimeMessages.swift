import WhisperEngine

/// The events that a session sends.
struct RealtimeMessages {
    private static let transcription = "conversation.item.input_audio_transcription"

    let connection: any WebSocketConnection
    /// Whether the client speaks the beta's dialect.
    let isBeta: Bool
    private var lastCommitted: String?

    init(_ connection: any WebSocketConnection, isBeta: Bool) {
        self.connection = connection
        self.isBeta = isBeta
    }

    private func send(_ type: String, _ members: [(String, String)] = []) {
        let start = [("type", JSONText.string(type)), ("event_id", JSONText.string(RequestID.random("event")))]
        connection.send(JSONText.object(start + members))
    }

    /// - Parameters:
    ///   - verb: `created` or `updated`.
    ///   - isBeta: whether the event has the beta's name.
    func session(_ verb: String, isBeta: Bool, _ json: String) {
        send("\(isBeta ? "transcription_session" : "session").\(verb)", [("session", json)])
    }

    /// - Parameter eventID: of the client's event that caused it.
    func error(_ error: HTTPError, eventID: String? = nil) {
        let json = JSONText.object(Self.members(error) + [("event_id", JSONText.string(eventID))])
        send("error", [("error", json)])
    }

    func speechStarted(_ item: RealtimeItem, at milliseconds: Int) {
        send(
            "input_audio_buffer.speech_started",
            [("audio_start_ms", "\(milliseconds)"), ("item_id", JSONText.string(item.id))])
    }

    func speechStopped(_ item: RealtimeItem, at milliseconds: Int) {
        send(
            "input_audio_buffer.speech_stopped",
            [("audio_end_ms", "\(milliseconds)"), ("item_id", JSONText.string(item.id))])
    }

    func cleared() { send("input_audio_buffer.cleared") }

    mutating func committed(_ item: RealtimeItem) {
        let previous = ("previous_item_id", JSONText.string(lastCommitted))
        send("input_audio_buffer.committed", [previous, ("item_id", JSONText.string(item.id))])
        let content = JSONText.object([("type", JSONText.string("input_audio")), ("transcript", "null")])
        let json = JSONText.object([
            ("id", JSONText.string(item.id)), ("type", JSONText.string("message")),
            ("object", JSONText.string("realtime.item")), ("status", JSONText.string("completed")),
            ("role", JSONText.string("user")), ("content", JSONText.array([content])),
        ])
        for type in isBeta ? ["created"] : ["added", "done"] {
            send("conversation.item.\(type)", [previous, ("item", json)])
        }
        lastCommitted = item.id
    }

    func delta(_ delta: String, of item: RealtimeItem, logprobs: TranscriptSegment?) {
        var members = Self.place(item) + [("delta", JSONText.string(delta))]
        if let logprobs { members.append(("logprobs", Self.logprobs([logprobs]))) }
        send("\(Self.transcription).delta", members)
    }

    func segment(_ segment: TranscriptSegment, of item: RealtimeItem) {
        send(
            "\(Self.transcription).segment",
            Self.place(item) + [
                ("id", JSONText.string(RequestID.random("seg"))),
                ("text", JSONText.string(WhiteSpace.strip(segment.text))),
                ("speaker", JSONText.string(segment.speaker ?? SpeakerNames.letters[0])),
                ("start", JSONText.number(segment.start)), ("end", JSONText.number(segment.end)),
            ])
    }

    func completed(_ item: RealtimeItem, language: DetectedLanguage?, hasLogprobs: Bool) {
        let usage = [("type", JSONText.string("duration")), ("seconds", JSONText.number(item.seconds))]
        var members =
            Self.place(item) + [
                ("transcript", JSONText.string(item.deltas.text)), ("usage", JSONText.object(usage)),
            ]
        if hasLogprobs { members.append(("logprobs", Self.logprobs(item.segments))) }
        if let language {
            members.append(
                ("languages", JSONText.array([JSONText.object([("code", JSONText.string(language.code))])])))
        }
        send("\(Self.transcription).completed", members)
    }

    func failed(_ item: RealtimeItem, _ error: HTTPError) {
        send("\(Self.transcription).failed", Self.place(item) + [("error", JSONText.object(Self.members(error)))])
    }

    private static func place(_ item: RealtimeItem) -> [(String, String)] {
        [("item_id", JSONText.string(item.id)), ("content_index", "0")]
    }

    private static func members(_ error: HTTPError) -> [(String, String)] {
        [
            ("type", JSONText.string(error.type)), ("code", JSONText.string(error.code)),
            ("message", JSONText.string(error.message)), ("param", JSONText.string(error.param)),
        ]
    }

    /// How probable each word is: live text has no probabilities of single tokens.
    private static func logprobs(_ segments: [TranscriptSegment]) -> String {
        JSONText.array(
            segments.flatMap { $0.words ?? [] }.map { word in
                JSONText.object([
                    ("token", JSONText.string(word.word)), ("logprob", TokenLogprobs.json(word.probability)),
                    ("bytes", JSONText.array(word.word.utf8.map { "\($0)" })),
                ])
            })
    }
}
