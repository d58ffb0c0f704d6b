import Synchronization
package import WhisperEngine

/// A transcription as server-sent events: a delta for each final segment, then the whole text.
package enum OpenAIStream {
    /// Failures within this time, such as a full queue, are still reported with an HTTP status.
    private static let grace = Duration.milliseconds(200)

    /// Starts a recognition and returns its stream. The recognition is cancelled when the stream is dropped.
    ///
    /// - Parameters:
    ///   - keepAlive: interval between comments.
    ///   - tokens: renders log probabilities with the tokens of the model.
    ///   - recognize: performs the recognition; its argument receives the updates.
    /// - Throws: what `recognize` throws before the stream begins. A later error is sent as the last event.
    package static func response(
        _ form: TranscriptionForm, headers: Headers, keepAlive: Duration, tokens: TokenLogprobs,
        recognize:
            @escaping @Sendable (@escaping @Sendable (TranscriptUpdate) -> Void) async throws(HTTPError)
            -> Transcription
    ) async throws(HTTPError) -> Response {
        let (output, response) = EventStream.open(headers, keepAlive: keepAlive)
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let events = StreamEvents(output, form, tokens: tokens)
        let recognition = Task {
            do throws(HTTPError) {
                events.done(try await recognize { events.add($0) })
            } catch {
                events.fail(error)
            }
            begin.finish()
        }
        let delay = Task {
            try? await Task.sleep(for: grace)
            begin.finish()
        }
        output.onEnd { recognition.cancel() }
        // Ends early if the client disconnects.
        for await _ in begins {}
        delay.cancel()
        if let failure = events.commit() { throw failure }
        if Task.isCancelled {
            output.finish()
            throw HTTPError(499, "The client has gone away.")
        }
        return response
    }
}

/// Writes the events of a stream. Called on the threads of the recognition and of the timer.
private final class StreamEvents: Sendable {
    private struct State {
        var deltas = TextDeltas()
        var diarized = DiarizedSegments()
        /// Segments whose log probabilities have not been sent.
        var unsent: [TranscriptSegment] = []
        var failure: HTTPError?
        /// Whether a status has been sent, so that an error can only be an event.
        var isCommitted = false
    }

    private let state = Mutex(State())
    private let output: EventStream
    private let form: TranscriptionForm
    private let tokens: TokenLogprobs

    init(_ output: EventStream, _ form: TranscriptionForm, tokens: TokenLogprobs) {
        self.output = output
        self.form = form
        self.tokens = tokens
    }

    /// Sends final text; text that may still change is never sent.
    func add(_ update: TranscriptUpdate) {
        guard case .final(let segment) = update else { return }
        state.withLock { send(segment, &$0) }
    }

    /// Sends the rest of the text and then the whole text, and ends the stream.
    func done(_ transcription: Transcription) {
        state.withLock { state in
            let transcript = transcription.transcript
            if state.deltas.text.isEmpty {
                // Transcripts may come without updates.
                if form.format == .diarizedJSON {
                    for segment in transcript.segments { send(segment, &state) }
                } else {
                    state.unsent = transcript.segments
                }
            }
            send(delta: state.deltas.rest(of: transcript.text), &state)
            var members = [
                ("type", JSONText.string("transcript.text.done")), ("text", JSONText.string(state.deltas.text)),
            ]
            if form.hasLogprobs { members.append(("logprobs", tokens.json(transcript.segments))) }
            output.send(JSONText.object(members))
        }
        output.finish()
    }

    /// Ends the stream with an error, or keeps the error for `commit`.
    func fail(_ error: HTTPError) {
        state.withLock { state in
            if state.isCommitted { output.send(OpenAIErrors.json(error)) } else { state.failure = error }
        }
        output.finish()
    }

    /// Marks the status as sent.
    ///
    /// - Returns: the error to send instead of the stream.
    func commit() -> HTTPError? {
        state.withLock { state in
            state.isCommitted = true
            return state.failure
        }
    }

    /// Sends the text of a segment, and with speakers the segment itself.
    private func send(_ segment: TranscriptSegment, _ state: inout State) {
        state.unsent.append(segment)
        let delta = state.deltas.next(segment.text)
        guard form.format == .diarizedJSON, !WhiteSpace.strip(segment.text).isEmpty else {
            return send(delta: delta, &state)
        }
        let diarized = state.diarized.next(segment, speakers: form.speakers)
        send(delta: delta, segment: diarized.id, &state)
        output.send(diarized.json)
    }

    private func send(delta: String, segment id: String? = nil, _ state: inout State) {
        guard !delta.isEmpty else { return }
        var members = [("type", JSONText.string("transcript.text.delta")), ("delta", JSONText.string(delta))]
        if let id { members.append(("segment_id", JSONText.string(id))) }
        if form.hasLogprobs { members.append(("logprobs", tokens.json(state.unsent))) }
        state.unsent = []
        output.send(JSONText.object(members))
    }
}
