package import WhisperEngine

/// An event from a client.
package struct RealtimeEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// - Parameter isBeta: whether the answer has the name and the shape of the beta.
        case update(JSONValue, isBeta: Bool)
        case append([UInt8])
        case commit
        case clear
    }

    /// Bytes of audio in an event, as in the cloud.
    static let maxAudio = 15 << 20
    private static let maxDepth = 16
    private static let maxMembers = 10_000
    /// Events of conversations, which there are none of here.
    private static let unsupported: Set = [
        "conversation.item.create", "conversation.item.delete", "conversation.item.retrieve",
        "conversation.item.truncate", "response.create", "response.cancel", "output_audio_buffer.clear",
    ]

    /// The client's name for it, which errors repeat.
    package let id: String?
    package let kind: Result<Kind, HTTPError>

    /// Reads a message.
    package init(_ text: String) {
        guard let event = try? JSONValue(Array(text.utf8), depth: Self.maxDepth, members: Self.maxMembers) else {
            (id, kind) = (nil, .failure(Self.refusal("The event is not valid JSON.", code: "invalid_json")))
            return
        }
        id = event["event_id"]?.string
        do throws(HTTPError) {
            kind = .success(try Self.kind(event))
        } catch {
            kind = .failure(error)
        }
    }

    private static func kind(_ event: JSONValue) throws(HTTPError) -> Kind {
        guard case .object = event else { throw refusal("The event is not a JSON object.", code: "invalid_json") }
        if let id = event["event_id"], id != .null, id.string == nil {
            throw .invalid("event_id", "Invalid value for 'event_id': it must be a string.")
        }
        guard let type = event["type"]?.string else {
            throw .invalid("type", "Missing required parameter: 'type'.", code: "missing_required_parameter")
        }
        switch type {
        case "session.update", "transcription_session.update":
            guard let session = event["session"] else {
                throw .invalid(
                    "session", "Missing required parameter: 'session'.", code: "missing_required_parameter")
            }
            return .update(session, isBeta: type != "session.update")
        case "input_audio_buffer.append": return .append(try audio(event["audio"]))
        case "input_audio_buffer.commit": return .commit
        case "input_audio_buffer.clear": return .clear
        case _ where unsupported.contains(type):
            throw .invalid(
                "type", "This server only transcribes: \(type) is not supported.", code: "unsupported_event")
        default:
            let shown = String(type.replacingControlCharacters().prefix(40))
            throw .invalid("type", "Invalid value for 'type': '\(shown)' is not the name of an event.")
        }
    }

    private static func audio(_ value: JSONValue?) throws(HTTPError) -> [UInt8] {
        guard let value else {
            throw .invalid("audio", "Missing required parameter: 'audio'.", code: "missing_required_parameter")
        }
        guard let text = value.string, let bytes = Base64Decoder.bytes(text) else {
            throw .invalid("audio", "Invalid value for 'audio': it must be base64.")
        }
        guard bytes.count <= maxAudio else {
            throw .invalid("audio", "Invalid value for 'audio': it must be at most 15 MiB. Send it in several events.")
        }
        return bytes
    }

    private static func refusal(_ message: String, code: String) -> HTTPError {
        HTTPError(400, message, code: code)
    }
}
