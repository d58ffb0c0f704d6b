import EngineAudio
import Glibc

/// Measures the level of 20 ms frames after a 100 Hz high-pass filter, which removes hum and DC offset.
package struct FrameLevelMeter: Sendable {
    /// Samples per frame.
    static let frameSamples = 320

    /// Coefficient of a first-order RC high-pass filter: 1 / (1 + 2π · 100 Hz / 16 kHz).
    private static let decay = 1 / (1 + 2 * Double.pi * 100 / Double(AudioChunk.sampleRate))
    /// Keeps the logarithm of silence finite: -100 dB.
    private static let floor = 1e-10

    private var lastInput = 0.0
    private var lastOutput = 0.0
    /// Sum of squares of the incomplete frame, and its samples so far.
    private var squares = 0.0
    private var filled = 0

    package init() {}

    /// Consumes samples until a frame is complete.
    ///
    /// - Parameter position: index of the next sample to consume; advanced.
    /// - Returns: the mean power of the frame in dB relative to full scale; `nil` if the samples end first.
    package mutating func nextFrame(of samples: [Float], from position: inout Int) -> Double? {
        while position < samples.count {
            // NaN or infinity would stay in the filter for good.
            let input = samples[position].isFinite ? Double(samples[position]) : 0
            position += 1
            lastOutput = Self.decay * (lastOutput + input - lastInput)
            lastInput = input
            squares += lastOutput * lastOutput
            filled += 1
            if filled == Self.frameSamples {
                let level = 10 * log10(squares / Double(Self.frameSamples) + Self.floor)
                squares = 0
                filled = 0
                return level
            }
        }
        return nil
    }

    /// Clears the filter; the incomplete frame keeps its position.
    package mutating func reset() {
        lastInput = 0
        lastOutput = 0
    }
}

/// Tracks the noise floor by minimum statistics: the minimum of the smoothed frame levels over the last six seconds.
struct NoiseFloor: Sendable {
    /// Weight of a new level in the exponential smoothing.
    private static let smoothing = 0.3
    /// Frames per sub-block, half a second; only its minimum is kept.
    private static let blockFrames = 25
    private static let keptBlocks = 11
    /// The minimum of noise lies about this much below its mean, dB.
    private static let bias = 1.0
    /// In the first second, which may start with speech, the estimate does not exceed `startLimit`.
    private static let startFrames = 50
    private static let startLimit = -50.0
    private static let range = -75.0 ... -30.0

    private var smoothed: Double?
    private var blockMinimum = Double.infinity
    private var minima: [Double] = []
    private var frames = 0

    /// Updates the estimate with the level of the next frame.
    ///
    /// - Returns: the noise floor in dB relative to full scale.
    mutating func update(with level: Double) -> Double {
        let now = smoothed.map { $0 + Self.smoothing * (level - $0) } ?? level
        smoothed = now
        blockMinimum = min(blockMinimum, now)
        var noise = (minima.min().map { min(blockMinimum, $0) } ?? blockMinimum) + Self.bias
        if frames < Self.startFrames { noise = min(noise, Self.startLimit) }
        frames += 1
        if frames % Self.blockFrames == 0 {
            minima.append(blockMinimum)
            if minima.count > Self.keptBlocks { minima.removeFirst() }
            blockMinimum = .infinity
        }
        return min(max(noise, Self.range.lowerBound), Self.range.upperBound)
    }
}
