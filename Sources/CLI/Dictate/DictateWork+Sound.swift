import WhisperEngine

/// The microphone of `dictate`, or the recording that stands in for it: opened, held and let go by presses.
extension DictateWork {
    /// How often sound is asked for. A press ends the long pauses of waiting at once.
    private static let intervals = (recording: Duration.milliseconds(20), waiting: Duration.milliseconds(100))
    /// Sound that is on its way from the device when a key is released.
    private static let onItsWay = Duration.milliseconds(60)

    /// - Returns: the sound from now on and of at least 300 ms before, `nil` where there is none.
    func openRecording() -> Dictation? {
        if options.closesDevice { source?.stop() }
        if source == nil || options.closesDevice, !openSource() { return nil }
        let dictation = Dictation(sound: tap.begin())
        current = dictation
        setInterval()
        if !keepsListening { source?.resume() }
        return dictation
    }

    func stopSound() {
        guard keepsListening || options.closesDevice else {
            rest()
            return tap.end()
        }
        Task { [source] in
            try? await Task.sleep(for: Self.onItsWay)
            if options.closesDevice { return source?.stop() ?? () }
            // A new press has ended the last recording by itself.
            if current == nil { tap.end() }
            setInterval()
        }
    }

    /// A recording that stands in for a microphone waits between two presses.
    func rest() {
        if options.closesDevice { source?.stop() } else if !keepsListening { source?.pause() }
    }

    private var keepsListening: Bool { input.isMicrophone }

    private func openSource() -> Bool {
        guard input.isMicrophone, let next = try? input.open(speed: .realTime) else {
            take(.trouble("the recording is over; q quits"))
            return false
        }
        listen(next)
        return true
    }

    func setInterval() {
        source?.setInterval(rules.isRecording ? Self.intervals.recording : Self.intervals.waiting)
    }

    func listen(_ source: any CaptureSource) {
        if !keepsListening { source.pause() }
        self.source = source
        setInterval()
        sourceNumber += 1
        listening = Task { [number = sourceNumber] in
            do {
                for try await event in source.events() { self.hear(event, from: number) }
                self.soundEnded(number, nil)
            } catch {
                self.soundEnded(number, error)
            }
        }
    }

    private func hear(_ event: CaptureEvent, from number: Int) {
        guard number == sourceNumber else { return }
        switch event {
        case .samples(let samples): tap.hear(samples, keepsHistory: keepsListening && !options.closesDevice)
        case .deviceLost(let reason):
            take(.soundEnded)
            take(.trouble("device lost, waiting: the microphone \(reason)"))
        case .stalled: take(.trouble("the microphone gives no sound; unmute it, or choose another device"))
        case .overrun(let lost):
            let seconds = ProgressLine.oneDecimal(Double(lost) / Double(AudioChunk.sampleRate))
            Task { await display.warning("\(seconds) s of sound lost") }
        case .deviceBack: break
        }
    }

    private func soundEnded(_ number: Int, _ error: (any Error)?) {
        guard number == sourceNumber else { return }
        source = nil
        tap.end()
        take(.soundEnded)
        guard let error else { return }
        guard tap.hasHeard else { return fail(error) }
        take(.trouble(Self.oneLine(error)))
    }
}
