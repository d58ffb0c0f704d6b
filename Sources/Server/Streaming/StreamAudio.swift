package import WhisperEngine

/// Decodes the audio of a session to 16 kHz as it arrives in frames of any length.
package struct StreamAudio: Sendable {
    private let encoding: SampleEncoding
    private let sampleRate: Int
    /// Bytes of an incomplete sample.
    private var partial: [UInt8] = []
    private var resampler: Resampler?
    /// Samples received, at the client's rate.
    private var count = 0

    package init(_ encoding: SampleEncoding, sampleRate: Int) {
        self.encoding = encoding
        self.sampleRate = sampleRate
        if sampleRate != AudioChunk.sampleRate { resampler = Resampler(from: sampleRate) }
    }

    /// Whether a sample has arrived only in part.
    package var isInsideSample: Bool { !partial.isEmpty }

    /// Seconds received.
    package var seconds: Double { Double(count) / Double(sampleRate) }

    /// The length of a frame in milliseconds, rounded down.
    package func milliseconds(_ bytes: [UInt8]) -> Int {
        (bytes.count + encoding.bytesPerSample - 1) / encoding.bytesPerSample * 1000 / sampleRate
    }

    /// Returns the samples that can be computed after this frame; the last ones follow with the next frame.
    package mutating func samples(_ bytes: [UInt8]) -> [Float] {
        let all = partial + bytes
        let whole = all.count - all.count % encoding.bytesPerSample
        partial = Array(all[whole...])
        let samples = encoding.samples(whole == all.count ? all : Array(all[..<whole]))
        count += samples.count
        return resampler?.process(samples) ?? samples
    }

    /// Returns the remaining samples. An incomplete one is dropped.
    package mutating func finish() -> [Float] { resampler?.finish() ?? [] }

    /// Returns the remaining samples, without an incomplete one, and begins anew with the next frame.
    mutating func flush() -> [Float] {
        partial = []
        guard let rest = resampler?.finish() else { return [] }
        resampler = Resampler(from: sampleRate)
        return rest
    }
}
