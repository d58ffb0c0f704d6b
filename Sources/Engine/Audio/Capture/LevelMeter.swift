import Glibc

/// Loudness of what is heard now, for a bar and for hints.
///
/// A function of the samples alone, whatever the sizes of their blocks, in steps of 20 ms.
public struct LevelMeter: Sendable {
    /// The quietest that is told, dB relative to full scale.
    public static let floor = -100.0

    /// Samples of one step.
    private static let stepSamples = 320
    /// Steps that RMS and peak are taken over, 100 ms.
    private static let window = 5
    /// Steps that a peak and the clip light stay, 1.5 s.
    private static let holdSteps = 75
    /// Samples below `silence` that make a microphone look muted, 3 s.
    private static let silentSamples = 48_000
    /// RMS of no signal, dB; the noise of 16 bits alone is at -101, that of any room above -80.
    private static let silence = -90.0
    /// Samples at full scale in a row that are no chance.
    private static let clippedRun = 3

    private struct Step {
        var energy = 0.0
        var peak: Float = 0
        var isClipped = false
    }

    private var current = Step()
    private var currentSamples = 0
    /// The latest whole steps, newest last, as far back as something is held.
    private var steps: [Step] = []
    private var fullScaleRun = 0
    private var quietSamples = 0

    public init() {}

    public mutating func process(_ samples: [Float]) {
        for sample in samples {
            current.energy += Double(sample) * Double(sample)
            current.peak = max(current.peak, abs(sample))
            fullScaleRun = abs(sample) >= 32_767.0 / 32_768 ? fullScaleRun + 1 : 0
            if fullScaleRun >= Self.clippedRun { current.isClipped = true }
            currentSamples += 1
            if currentSamples == Self.stepSamples { close() }
        }
    }

    /// RMS of the last 100 ms, dB, a full-scale square wave being 0; `nil` before the first 20 ms.
    public var rms: Double? {
        let recent = steps.suffix(Self.window)
        guard !recent.isEmpty else { return nil }
        let mean = recent.reduce(0) { $0 + $1.energy } / Double(recent.count * Self.stepSamples)
        return Self.decibels(mean.squareRoot())
    }

    /// The highest sample of the last 100 ms, dB; `nil` before the first 20 ms.
    public var peak: Double? { highest(of: Self.window) }

    /// The highest sample of the last 1.5 s, dB; `nil` before the first 20 ms.
    public var heldPeak: Double? { highest(of: Self.holdSteps) }

    /// Whether three samples in a row stood at full scale in the last 1.5 s.
    public var isClipped: Bool { steps.contains(where: \.isClipped) }

    /// Whether there has been no signal for 3 s: the microphone may be muted.
    public var isSilent: Bool { quietSamples >= Self.silentSamples }

    private mutating func close() {
        steps.append(current)
        if steps.count > Self.holdSteps { steps.removeFirst() }
        (current, currentSamples) = (Step(), 0)
        quietSamples = (rms ?? 0) < Self.silence ? quietSamples + Self.stepSamples : 0
    }

    private func highest(of count: Int) -> Double? {
        steps.suffix(count).map(\.peak).max().map { Self.decibels(Double($0)) }
    }

    private static func decibels(_ value: Double) -> Double { 20 * log10(max(value, 1e-5)) }
}
