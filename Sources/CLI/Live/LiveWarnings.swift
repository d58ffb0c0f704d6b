package import WhisperEngine

/// Watches the level of live audio, which the speaker cannot hear, for a missing or clipped signal.
package struct SignalMonitor: Sendable {
    package enum Warning: Equatable, Sendable {
        /// Nothing but zeros, or next to nothing, for ten seconds.
        case noSignal
        case clipped
    }

    private static let quietSamples = 10 * AudioChunk.sampleRate
    /// Minimum distance between two warnings about clipping.
    private static let clippingInterval = 60 * AudioChunk.sampleRate
    /// dBFS; even the quietest room is louder.
    private static let noSignalLevel = -90.0

    private var meter = LevelMeter()
    private var position = 0
    private var lastSignal = 0
    private var warnedOfNoSignal = false
    private var lastClipping: Int?

    package init() {}

    /// Examines the next samples, 16 kHz mono, -1…1.
    package mutating func warnings(for samples: [Float]) -> [Warning] {
        var warnings: [Warning] = []
        meter.process(samples)
        position += samples.count
        if (meter.rms ?? LevelMeter.floor) >= Self.noSignalLevel { (lastSignal, warnedOfNoSignal) = (position, false) }
        if position - lastSignal >= Self.quietSamples, !warnedOfNoSignal {
            // Once, until there is a signal again.
            warnedOfNoSignal = true
            warnings.append(.noSignal)
        }
        if meter.isClipped, lastClipping.map({ position - $0 >= Self.clippingInterval }) ?? true {
            lastClipping = position
            warnings.append(.clipped)
        }
        return warnings
    }
}

extension SignalMonitor.Warning {
    var text: String {
        switch self {
        case .noSignal: "no signal for 10 s: is the microphone muted?"
        case .clipped: "the audio is clipped: turn the microphone down"
        }
    }
}

/// Watches whether recognition keeps up with the audio.
package struct LagMonitor: Sendable {
    /// Seconds of lag that are worth a warning.
    private static let warningLag = 5.0
    /// Minimum seconds between two warnings.
    private static let warningInterval = 60.0

    private var lastWarning: Double?
    /// Where the current lag began.
    private var start: (time: Double, decoded: Double)?

    package init() {}

    /// - Parameter time: seconds on any monotonic clock.
    /// - Returns: the warning to show; usually `nil`.
    package mutating func warning(_ status: SessionStatus, at time: Double) -> String? {
        guard status.lag > 1 else {
            start = nil
            return nil
        }
        let start = self.start ?? (time, status.decoded)
        self.start = start
        guard status.lag >= Self.warningLag, lastWarning.map({ time - $0 >= Self.warningInterval }) ?? true else {
            return nil
        }
        lastWarning = time
        let factor = time > start.time ? (status.decoded - start.decoded) / (time - start.time) : 0
        // Within a single long pass the speed is not known yet.
        let speed = factor < 0.05 ? "" : ", at \(OneDecimal.text(factor)) times real time"
        return "recognition is \(OneDecimal.text(status.lag)) s behind\(speed); "
            + "a smaller model or a larger --step would keep up (no final text is lost)"
    }
}

/// Watches whether final text can be saved.
package struct SaveMonitor: Sendable {
    private let showsUnsaved: Bool
    private var isFailing = false

    /// - Parameter showsUnsaved: text is shown even while it cannot be saved.
    package init(showsUnsaved: Bool) { self.showsUnsaved = showsUnsaved }

    /// - Returns: the message to show, once when saving fails and once when it works again; usually `nil`.
    package mutating func message(_ status: SessionStatus) -> String? {
        guard let problem = status.saveProblem else {
            guard isFailing, status.unsaved == 0 else { return nil }
            isFailing = false
            return "all final text is saved again"
        }
        guard !isFailing else { return nil }
        isFailing = true
        let consequence =
            showsUnsaved
            ? "it is saved as soon as that is possible"
            : "it is kept, and shown as soon as it is saved (--show-unsaved shows it at once)"
        return "warning: final text cannot be saved: \(problem); \(consequence)"
    }
}
