import WhisperEngine

/// What a speaker should know of the sound that comes from a microphone, which nobody hears.
package struct InputHints: Sendable {
    package enum Hint: Equatable, Sendable {
        /// Nothing but zeros, or next to nothing, for ten seconds.
        case noSignal
        case clipped
    }

    private static let quietSamples = 10 * AudioChunk.sampleRate
    private static let clipPause = 60 * AudioChunk.sampleRate

    private var meter = LevelMeter()
    private var position = 0
    private var lastSignal = 0
    private var isQuietTold = false
    private var lastClip: Int?

    package init() {}

    /// Hears the next samples, 16 kHz mono, -1…1.
    package mutating func hear(_ samples: [Float]) -> [Hint] {
        var hints: [Hint] = []
        meter.process(samples)
        position += samples.count
        if !Self.isQuiet(meter) { (lastSignal, isQuietTold) = (position, false) }
        if position - lastSignal >= Self.quietSamples, !isQuietTold {
            // Once, until there is a signal again.
            isQuietTold = true
            hints.append(.noSignal)
        }
        if meter.isClipped, lastClip.map({ position - $0 >= Self.clipPause }) ?? true {
            lastClip = position
            hints.append(.clipped)
        }
        return hints
    }

    /// Below what the quietest room gives.
    private static func isQuiet(_ meter: LevelMeter) -> Bool { (meter.rms ?? -100) < -90 }
}

extension InputHints.Hint {
    var text: String {
        switch self {
        case .noSignal: "no signal for 10 s: is the microphone muted?"
        case .clipped: "the sound is clipped: turn the microphone down"
        }
    }
}
