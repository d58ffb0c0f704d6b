import WhisperEngine

/// Capture for `dictate`: opening, pausing and closing the microphone, or the recording played in its place.
extension DictateSession {
    /// How often captured audio is delivered. A press ends an idle wait at once.
    private static let captureIntervals = (recording: Duration.milliseconds(20), idle: Duration.milliseconds(100))
    /// Audio still on its way from the device when the key is released.
    private static let captureDelay = Duration.milliseconds(60)

    /// - Returns: the audio from now on, preceded by up to 300 ms of pre-roll; `nil` if there is no source.
    func openRecording() -> PressRecording? {
        if options.closesDevice { source?.stop() }
        if source == nil || options.closesDevice, !openSource() { return nil }
        let recording = PressRecording(audio: preRoll.startRecording())
        current = recording
        setInterval()
        if !capturesContinuously { source?.resume() }
        return recording
    }

    func stopCapture() {
        // The waiting audio was captured after the key was released.
        if preRoll.isWaiting { preRoll.stopRecording() }
        guard capturesContinuously || options.closesDevice else {
            pauseCapture()
            return preRoll.stopRecording()
        }
        Task { [source] in
            try? await Task.sleep(for: Self.captureDelay)
            if options.closesDevice { return source?.stop() ?? () }
            // If a new press came meanwhile, starting its recording has stopped this one.
            if current == nil { preRoll.stopRecording() }
            setInterval()
        }
    }

    /// A played recording waits between presses; a microphone keeps running unless it is closed.
    func pauseCapture() {
        if options.closesDevice { source?.stop() } else if !capturesContinuously { source?.pause() }
    }

    private var capturesContinuously: Bool { input.isMicrophone }

    private func openSource() -> Bool {
        guard input.isMicrophone, let next = try? input.open(speed: .realTime) else { return false }
        listen(to: next)
        return true
    }

    func setInterval() {
        source?.setInterval(rules.isRecording ? Self.captureIntervals.recording : Self.captureIntervals.idle)
    }

    func listen(to source: any CaptureSource) {
        if !capturesContinuously { source.pause() }
        self.source = source
        setInterval()
        sourceNumber += 1
        capture = Task { [number = sourceNumber] in
            do {
                for try await event in source.events() { self.receive(event, from: number) }
                self.captureEnded(number, nil)
            } catch {
                self.captureEnded(number, error)
            }
        }
    }

    private func receive(_ event: CaptureEvent, from number: Int) {
        guard number == sourceNumber else { return }
        switch event {
        case .samples(let samples):
            preRoll.append(
                samples, keepsPreRoll: capturesContinuously && !options.closesDevice,
                isReleasePossible: rules.isReleasePossible(at: now))
        case .deviceLost(let reason):
            handle(.captureEnded)
            handle(.captureFailed("device lost: the microphone \(reason); waiting for it to return"))
        case .stalled: handle(.captureFailed("no audio from the microphone; unmute it, or choose another device"))
        case .overrun(let lost):
            let seconds = OneDecimal.text(AudioChunk.seconds(of: lost))
            Task { await display.warning("\(seconds) s of audio lost") }
        case .deviceBack: break
        }
    }

    private func captureEnded(_ number: Int, _ error: (any Error)?) {
        guard number == sourceNumber else { return }
        source = nil
        preRoll.stopRecording()
        handle(.captureEnded)
        guard let error else { return }
        // Without a single sample there never was a working device.
        guard preRoll.hasReceivedAudio else { return fail(error) }
        handle(.captureFailed(Self.singleLine(error)))
    }
}
