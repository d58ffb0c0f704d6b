import Glibc

/// Loudness of frames of 20 ms behind a high pass of 100 Hz, which takes hum and offsets away.
package struct FrameLevels: Sendable {
    /// Samples of a frame.
    package static let frameSamples = 320

    /// 1 / (1 + 2π · 100 Hz / 16 kHz), a resistor and a capacitor.
    private static let decay = 1 / (1 + 2 * Double.pi * 100 / Double(AudioChunk.sampleRate))
    /// Keeps the logarithm of silence finite: −100 dB.
    private static let floor = 1e-10

    private var lastInput = 0.0
    private var lastOutput = 0.0
    /// Of the frame that is not yet full.
    private var squares = 0.0
    private var filled = 0

    package init() {}

    /// Hears samples until a frame is full.
    ///
    /// - Parameter position: index of the next sample to hear, moved on.
    /// - Returns: mean power of the frame in dB relative to full scale; `nil` where the samples end before it does.
    package mutating func nextFrame(of samples: [Float], from position: inout Int) -> Double? {
        while position < samples.count {
            // What is no number is no sound; it would silence the filter for ever.
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

    /// Forgets the sound before; the frame being filled keeps its place.
    package mutating func reset() {
        lastInput = 0
        lastOutput = 0
    }
}
