import Synchronization
import WhisperEngine

/// A transcript that is sent as it comes: an hour of silence would look like a broken connection.
enum ASRAnswer {
    /// - Parameters:
    ///   - language: of the text, if it is known.
    ///   - recognize: performs the recognition; its argument receives the updates.
    /// - Throws: what `recognize` throws before there is text. A later error cuts the connection, because the client would
    ///   take the beginning of a subtitle file for the whole.
    static func response(
        _ output: ASROutput, language: String?, model: String,
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
        let text = SegmentSender(ASRText(output, language: language), sender)
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let recognition = Task { () -> HTTPError? in
            defer { begin.finish() }
            do throws(HTTPError) {
                let transcription = try await recognize { update in
                    text.update(update)
                    if text.hasBegun { begin.finish() }
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
    private struct State {
        var text: ASRText
        var hasBegun = false
        var segments = 0
    }

    private let sender: AsyncThrowingStream<[UInt8], any Error>.Continuation
    private let state: Mutex<State>

    init(_ text: ASRText, _ sender: AsyncThrowingStream<[UInt8], any Error>.Continuation) {
        self.sender = sender
        state = Mutex(State(text: text))
    }

    /// Whether any of the body has been sent.
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    func update(_ update: TranscriptUpdate) {
        switch update {
        case .language(let code, _, _): state.withLock { $0.text.detected(code) }
        case .event(let event): if case .heard(let speech) = event.window { state.withLock { $0.text.heard(speech) } }
        case .final(let segment): send(segment)
        default: break
        }
    }

    /// Sends what has not come as an update, and ends the body.
    func finish(_ transcript: Transcript) {
        if state.withLock({ $0.segments == 0 }) {
            state.withLock { state in
                state.text.detected(transcript.language)
                state.text.heard(transcript.speech ?? [])
            }
            for segment in transcript.segments { send(segment) }
        }
        state.withLock { state in
            let rest = state.text.finish()
            write(rest, &state)
            if !state.hasBegun { sender.yield(Array(state.text.head.utf8)) }
        }
        sender.finish()
    }

    private func send(_ segment: TranscriptSegment) {
        guard !WhiteSpace.strip(segment.text).isEmpty else { return }
        state.withLock { state in
            state.segments += 1
            let text = state.text.add(segment)
            write(text, &state)
        }
    }

    private func write(_ text: String, _ state: inout State) {
        guard !text.isEmpty else { return }
        sender.yield(Array(((state.hasBegun ? "" : state.text.head) + text).utf8))
        state.hasBegun = true
    }
}
