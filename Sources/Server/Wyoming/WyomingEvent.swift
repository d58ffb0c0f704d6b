package import WhisperEngine

/// A message of the Wyoming protocol, with which Home Assistant speaks to a recognizer: a line of JSON, then perhaps more
/// JSON, then perhaps bytes.
package struct WyomingEvent: Equatable, Sendable {
    package let type: String
    /// An object.
    package let data: JSONValue
    package let payload: [UInt8]

    package init(_ type: String, data: JSONValue = .object([]), payload: [UInt8] = []) {
        self.type = type
        self.data = data
        self.payload = payload
    }

    /// The bytes of a message that we send. Its data do not stand in the first line, which clients read only up to 64 KiB.
    ///
    /// - Parameter data: JSON, an object.
    package static func bytes(_ type: String, data: String? = nil) -> [UInt8] {
        var members = [("type", JSONText.string(type)), ("version", JSONText.string(version))]
        if let data { members.append(("data_length", "\(data.utf8.count)")) }
        return Array((JSONText.object(members) + "\n" + (data ?? "")).utf8)
    }

    /// The version of the protocol that these messages follow.
    private static let version = "1.10.2"
}

/// Why a conversation ends.
package struct WyomingError: Error, Equatable, Sendable {
    package enum Code: String, Sendable {
        case busy, internalFailure = "internal"
        case badEvent = "bad-event"
        case badAudio = "bad-audio"
        case tooLong = "too-long"
        case unknownLanguage = "unknown-language"
    }

    package let code: Code
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    var event: [UInt8] {
        WyomingEvent.bytes(
            "error",
            data: JSONText.object([("text", JSONText.string(text)), ("code", JSONText.string(code.rawValue))]))
    }
}
