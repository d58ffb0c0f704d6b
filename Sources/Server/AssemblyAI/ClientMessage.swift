import WhisperEngine

/// A message from a client, other than binary audio.
package enum ClientMessage: Equatable, Sendable {
    /// Audio in a text message, which only version 2 has.
    case audio([UInt8])
    case update(ConfigurationUpdate)
    case forceEndpoint
    case keepAlive
    case terminate

    private static let maxBytes = 65_536
    /// Version 2 sends audio as text.
    private static let maxAudioBytes = 1 << 20
    private static let maxDepth = 16
    private static let maxMembers = 10_000

    /// Reads a message of version 3.
    ///
    /// - Throws: `StreamEnd`.
    package init(_ text: String) throws(StreamEnd) {
        let message = try Self.object(text, limit: Self.maxBytes)
        guard let type = message["type"]?.string else {
            throw .invalidMessage(reason: "Invalid Message: it has no type")
        }
        switch type {
        case "UpdateConfiguration": self = .update(try ConfigurationUpdate(message))
        case "ForceEndpoint": self = .forceEndpoint
        case "KeepAlive": self = .keepAlive
        case "Terminate": self = .terminate
        default: throw .invalidMessage(reason: "Invalid Message Type: \(Self.shortened(type))")
        }
    }

    /// Reads a message of version 2.
    ///
    /// - Throws: `StreamEnd`.
    package init(realTime text: String) throws(StreamEnd) {
        let message = try Self.object(text, limit: Self.maxAudioBytes)
        if let audio = message["audio_data"] {
            guard let text = audio.string, let bytes = Base64Decoder.bytes(text) else {
                throw .invalidMessage(reason: "audio_data must be base64")
            }
            self = .audio(bytes)
        } else if message["terminate_session"] == .bool(true) {
            self = .terminate
        } else if message["force_end_utterance"] == .bool(true) {
            self = .forceEndpoint
        } else if let threshold = message["end_utterance_silence_threshold"] {
            let parameter = StreamParameter(name: "end_utterance_silence_threshold", value: threshold)
            var update = ConfigurationUpdate()
            update.minTurnSilence = min(max(try parameter.integer(0...20_000), 100), 20_000)
            self = .update(update)
        } else {
            throw .invalidMessage(reason: "Unknown message")
        }
    }

    private static func object(_ text: String, limit: Int) throws(StreamEnd) -> JSONValue {
        guard text.utf8.count <= limit else { throw .invalidMessage(reason: "Invalid Message: it is too long") }
        guard let message = try? JSONValue(Array(text.utf8), depth: maxDepth, members: maxMembers) else {
            throw .invalidJSON
        }
        guard case .object = message else {
            throw .invalidMessage(reason: "Invalid Message: it is not a JSON object")
        }
        return message
    }

    private static func shortened(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
    }
}
