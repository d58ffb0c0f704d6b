/// The status of a live session.
public struct SessionStatus: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        case idle, listening, paused, draining, stopped, failed
    }

    public var state: State
    /// Seconds of audio accepted, on the session's clock.
    public var clock: Double
    /// Seconds of audio decoded.
    public var decoded: Double
    /// Seconds of speech waiting to be decoded.
    public var lag: Double
    /// Level of the last 100 ms in dB relative to full scale; `nil` before the first audio.
    public var levelDBFS: Double?
    /// Whether speech is being detected.
    public var speech: Bool
    /// Number of samples lost before they reached the session.
    public var droppedSamples: Int
    /// Name of the capture device; `nil` for a file.
    public var device: String?
    /// Number of finals that the session's journal could not write yet.
    public var unsaved: Int
    /// Why the journal could not write them.
    package var saveProblem: String?
    /// Whether the capture device is disconnected and awaited.
    package var isDeviceLost: Bool

    package init(
        state: State, clock: Double, decoded: Double, lag: Double, levelDBFS: Double? = nil, speech: Bool = false,
        droppedSamples: Int = 0, device: String? = nil, unsaved: Int = 0, saveProblem: String? = nil,
        isDeviceLost: Bool = false
    ) {
        self.state = state
        self.clock = clock
        self.decoded = decoded
        self.lag = lag
        self.levelDBFS = levelDBFS
        self.speech = speech
        self.droppedSamples = droppedSamples
        self.device = device
        self.unsaved = unsaved
        self.saveProblem = saveProblem
        self.isDeviceLost = isDeviceLost
    }
}

/// Audio that was lost before it reached a live session. It takes up no session time.
public struct SessionGap: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A capture buffer overflowed.
        case overrun
        /// The capture device was disconnected.
        case deviceLost
    }

    /// Position of the gap in seconds, on the session's clock.
    public var clock: Double
    /// Seconds lost, as far as known.
    public var lost: Double
    public var reason: Reason

    package init(clock: Double, lost: Double, reason: Reason) {
        self.clock = clock
        self.lost = lost
        self.reason = reason
    }
}

/// The identity of a live session: a random UUID (version 4) in lower case.
public struct SessionID: Sendable, Hashable, Codable, CustomStringConvertible {
    public let description: String

    /// Creates a new random identity.
    public init() {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = bytes.map { byte in
            let hex = String(byte, radix: 16)
            return hex.utf8.count == 1 ? "0" + hex : hex
        }
        description = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    /// Restores a stored identity; the text is not checked.
    package init(_ text: String) { description = text }
}
