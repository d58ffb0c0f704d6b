import Glibc

/// Measures the current level of an audio stream, for a level bar and for hints.
///
/// The result depends on the samples alone, not on the sizes of their blocks; it changes in steps of 20 ms.
package struct LevelMeter: Sendable {
    /// The lowest level reported, dB relative to full scale.
    package static let floor = -100.0

    /// Samples per step.
    private static let stepSamples = 320
    /// Steps over which RMS and peak are measured: 100 ms.
    private static let window = 5
    /// Steps for which a peak and the clip indicator are held: 1.5 s.
    private static let holdSteps = 75
    /// Samples below `silence` after which the microphone appears to be muted: 3 s.
    private static let silentSamples = 48_000
    /// RMS below this is no signal, dB: 16-bit quantization noise is at -101, the noise of any room above -80.
    private static let silence = -90.0
    /// Consecutive samples at full scale that count as clipping.
    private static let clippedRun = 3

    private struct Step {
        var energy = 0.0
        var peak: Float = 0
        var isClipped = false
    }

    private var current = Step()
    private var currentSamples = 0
    /// The latest complete steps, newest last, as many as peaks are held.
    private var steps: [Step] = []
    private var fullScaleRun = 0
    private var quietSamples = 0
    /// Whether there was a signal at any time.
    package private(set) var hasHeardSignal = false

    package init() {}

    /// Processes the next samples: 16 kHz mono, -1…1.
    package mutating func process(_ samples: [Float]) {
        for sample in samples {
            current.energy += Double(sample) * Double(sample)
            current.peak = max(current.peak, abs(sample))
            fullScaleRun = abs(sample) >= 32_767.0 / 32_768 ? fullScaleRun + 1 : 0
            if fullScaleRun >= Self.clippedRun { current.isClipped = true }
            currentSamples += 1
            if currentSamples == Self.stepSamples { completeStep() }
        }
    }

    /// RMS of the last 100 ms in dB, where a full-scale square wave is 0; `nil` before the first 20 ms.
    package var rms: Double? {
        let recent = steps.suffix(Self.window)
        guard !recent.isEmpty else { return nil }
        let mean = recent.reduce(0) { $0 + $1.energy } / Double(recent.count * Self.stepSamples)
        return Self.decibels(mean.squareRoot())
    }

    /// The peak of the last 100 ms in dB; `nil` before the first 20 ms.
    package var peak: Double? { highest(of: Self.window) }

    /// The peak of the last 1.5 s in dB; `nil` before the first 20 ms.
    package var heldPeak: Double? { highest(of: Self.holdSteps) }

    /// Whether three consecutive samples were at full scale in the last 1.5 s.
    package var isClipped: Bool { steps.contains(where: \.isClipped) }

    /// Whether there was no signal for the last 3 s: the microphone may be muted.
    package var isSilent: Bool { quietSamples >= Self.silentSamples }

    private mutating func completeStep() {
        steps.append(current)
        if steps.count > Self.holdSteps { steps.removeFirst() }
        (current, currentSamples) = (Step(), 0)
        let isQuiet = (rms ?? 0) < Self.silence
        quietSamples = isQuiet ? quietSamples + Self.stepSamples : 0
        if !isQuiet { hasHeardSignal = true }
    }

    private func highest(of count: Int) -> Double? {
        steps.suffix(count).map(\.peak).max().map { Self.decibels(Double($0)) }
    }

    private static func decibels(_ value: Double) -> Double { 20 * log10(max(value, 1e-5)) }
}
