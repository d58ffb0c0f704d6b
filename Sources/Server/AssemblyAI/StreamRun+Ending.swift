import WhisperEngine

extension StreamRun {
    /// Seconds between heartbeats.
    private static let heartbeatInterval = 5.0
    /// Bytes queued for the client above which states of open turns are skipped, and above which the session is closed.
    private static let maxQueuedPartials = 1 << 18
    private static let maxQueued = 1 << 20

    func show(_ update: TranscriptUpdate) throws(StreamEnd) {
        if case .event(let event) = update, case .utterance(.opened(let time)) = event.window,
            parameters.reportsSpeech, let message = dialect.speechStarted(Int((time * 1000).rounded()))
        {
            connection.send(message)
        }
        for turn in builder.apply(update, at: now) { try send(turn) }
    }

    private func send(_ turn: Turn) throws(StreamEnd) {
        let queued = connection.queuedBytes
        if !turn.isEnd, turn.utterance.isEmpty, queued > Self.maxQueuedPartials { return }
        guard queued <= Self.maxQueued else { throw .slowReader }
        if let message = dialect.message(turn, parameters, at: .now) { connection.send(message) }
    }

    func checkTime() throws(StreamEnd) {
        let now = now
        if let end {
            if now >= end.deadline { close(end.reason) }
            return
        }
        if let turn = builder.due(at: now) { try send(turn) }
        if parameters.sendsHeartbeats, now - lastHeartbeat >= Self.heartbeatInterval { beat(at: now) }
        if now >= maxSeconds { throw .expired }
        if let timeout = parameters.inactivityTimeout, now - lastInput >= Double(timeout) { throw .inactive }
        // A turn that is still open has ended long ago.
        if recognition.restIfSilent(), let turn = builder.finish() { try send(turn) }
    }

    private func beat(at now: Double) {
        lastHeartbeat = now
        let heard = max(0, audio.seconds - recognition.queuedSeconds)
        if let message = dialect.heartbeat(audioSeconds: audio.seconds, sessionSeconds: now, factor: heard / now) {
            connection.send(message)
        }
    }

    /// Ends the session, after its last words if there is time for them.
    func stop(_ reason: StreamEnd) {
        guard reason.finishesTurn else { return close(reason) }
        guard end == nil else { return }
        end = (reason, now + settings.endTime)
        if recognition.hasBegun {
            recognition.finish(audio.finish())
        } else if !recognition.isWaiting {
            close(reason)
        }
    }

    func close(_ reason: StreamEnd) {
        guard !isOver else { return }
        isOver = true
        if reason.finishesTurn || end != nil, let turn = builder.finish(keepsTail: true),
            let message = dialect.message(turn, parameters, at: .now)
        {
            connection.send(message)
        }
        let code = dialect.closingCode(reason)
        if reason == .terminated {
            for message in dialect.ending(audioSeconds: audio.seconds, sessionSeconds: now) {
                connection.send(message)
            }
        } else if let message = reason.message {
            connection.send(dialect.error(message, code: code))
        }
        if reason != .disconnected { connection.close(code, reason.reason) }
    }
}
