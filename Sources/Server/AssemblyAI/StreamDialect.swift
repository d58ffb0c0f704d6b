package import WhisperEngine

/// The messages and closing codes of a version of the streaming protocol.
package protocol StreamDialect: Sendable {
    /// How the words of turns are written.
    func format(_ parameters: StreamingParameters) -> TurnBuilder.Format

    func clientMessage(_ text: String) throws(StreamEnd) -> ClientMessage

    /// The first message.
    ///
    /// - Parameter expires: when the session reaches its maximum length.
    func beginning(id: SessionID, expires: WallTime, model: String) -> String

    /// A warning that a requested feature is not available; `nil` if there is no such message.
    func warning(_ text: String) -> String?

    /// - Returns: `nil` if the client does not want this state.
    func message(_ turn: Turn, _ parameters: StreamingParameters, at time: WallTime) -> String?

    /// Reports the start of speech, in milliseconds from the start of the stream; `nil` if there is no such message.
    func speechStarted(_ milliseconds: Int) -> String?

    /// Reports how much audio has been processed; `nil` if there is no such message.
    ///
    /// - Parameters:
    ///   - audioSeconds: audio that has arrived.
    ///   - factor: seconds of audio recognized per second of the session; below 1 if recognition falls behind.
    func heartbeat(audioSeconds: Double, sessionSeconds: Double, factor: Double) -> String?

    /// The last messages of a session that ends as the client asked.
    func ending(audioSeconds: Double, sessionSeconds: Double) -> [String]

    func closingCode(_ end: StreamEnd) -> Int

    /// The message before an error closes the connection.
    func error(_ message: String, code: Int) -> String
}

extension WallTime {
    /// The time as `2026-03-01T12:34:56.789000`, without a zone.
    var assemblyAIText: String { description.dropLast() + "000" }
}
