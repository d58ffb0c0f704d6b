import Synchronization
import WhisperEngine

/// A transcript that is sent as it comes: an hour of silence would look like a broken connection.
enum ASRAnswer {
    /// - Parameters:
    ///   - recognize: performs the recognition; its argument receives the updates.
    /// - Throws: what `recognize` throws before there is text. A later error cuts the connection, because the client would
    ///   take the beginning of a subtitle file for the whole.
    static func response(
        _ output: ASROutput, model: String,
        recognize:
            @escaping @Sendable (@escaping @Sendable (TranscriptUpdate) -> Void) async throws(HTTPError)
            -> Transcription
    ) async throws(HTTPError) -> Response {
        let headers = Headers([
            ("Asr-Engine", "whisper-local"), ("x-whisper-local-model", HeaderText.plain(model)),
            (
                "Content-Disposition",
                "attachment; filename=\"\(ASRRequest.recordingField).\(output.rawValue)\""
            ),
            ("Content-Type", output == .json ? "application/json" : "text/plain; charset=utf-8"),
        ])
        if output == .json {
            let transcription = try await recognize { _ in }
            return Response(headers: headers, body: .bytes(Array(ASROutput.json(transcription.transcript).utf8)))
        }
        let (body, sender) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let text = SegmentSender(output, sender)
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let recognition = Task { () -> HTTPError? in
            defer { begin.finish() }
            do throws(HTTPError) {
                let transcription = try await recognize { update in
                    guard case .final(let segment) = update else { return }
                    if text.send(segment) { begin.finish() }
                }
                text.finish(transcription.transcript)
                return nil
            } catch {
                sender.finish(throwing: error)
                return error
            }
        }
        sender.onTermination = { _ in recognition.cancel() }
        // Ends early if the client disconnects.
        for await _ in begins {}
        if Task.isCancelled {
            recognition.cancel()
            throw HTTPError(499, "The client has gone away.")
        }
        if !text.hasBegun, let failure = await recognition.value { throw failure }
        return Response(headers: headers, body: .stream(body))
    }
}

/// Writes segments into the body of a response. Called on the thread of the recognition.
private final class SegmentSender: Sendable {
    private let output: ASROutput
    private let sender: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// The number of segments sent.
    private let count = Mutex(0)

    init(_ output: ASROutput, _ sender: AsyncThrowingStream<[UInt8], any Error>.Continuation) {
        self.output = output
        self.sender = sender
    }

    var hasBegun: Bool { count.withLock { $0 > 0 } }

    /// - Returns: whether it has text and was sent.
    func send(_ segment: TranscriptSegment) -> Bool {
        guard !WhiteSpace.strip(segment.text).isEmpty else { return false }
        count.withLock { count in
            let head = count == 0 ? output.head : ""
            sender.yield(Array((head + output.text(of: segment, index: count)).utf8))
            count += 1
        }
        return true
    }

    /// Sends what has not come as an update, and ends the body.
    func finish(_ transcript: Transcript) {
        if !hasBegun { for segment in transcript.spokenSegments { _ = send(segment) } }
        if !hasBegun { sender.yield(Array(output.head.utf8)) }
        sender.finish()
    }
}
