import WhisperEngine

/// The audio of a recording as it arrives in chunks, each in its own format; kept as 16 kHz mono.
package struct WyomingAudio {
    /// Samples per second, bytes of a sample, and channels.
    struct Format: Equatable {
        let rate: Int
        let encoding: SampleEncoding
        let channels: Int
    }

    private static let rates = 8000...96_000
    private static let channels = 1...8

    package let recording: Upload
    private let maxSeconds: Double
    private var format: Format?
    private var resampler: Resampler?
    /// At 16 kHz.
    private var count = 0

    /// - Parameter maxSeconds: of a recording.
    package init(maxSeconds: Double) {
        self.maxSeconds = maxSeconds
        let samples = try? RawFormat(encoding: .f32le, sampleRate: AudioChunk.sampleRate, channels: 1)
        recording = Upload(headerless: samples)
    }

    package var seconds: Double { AudioChunk.seconds(of: count) }
    package var isEmpty: Bool { count == 0 }

    /// Adds the samples of an `audio-chunk`.
    ///
    /// - Throws: for a format that is not supported, incomplete samples, and a recording that is too long.
    package mutating func append(_ event: WyomingEvent) throws(WyomingError) {
        let format = try Self.format(event.data)
        guard event.payload.count % (format.encoding.bytesPerSample * format.channels) == 0 else {
            throw WyomingError(.badAudio, "A chunk ends inside a sample.")
        }
        if format != self.format {
            try flush()
            self.format = format
            resampler = format.rate == AudioChunk.sampleRate ? nil : Resampler(from: format.rate)
        }
        let samples = format.encoding.samples(event.payload)
        let mono = format.channels == 1 ? samples : Self.mean(samples, channels: format.channels)
        try store(resampler?.process(mono) ?? mono)
    }

    /// Ends the recording.
    package mutating func finish() throws(WyomingError) {
        try flush()
        recording.finish()
    }

    private mutating func flush() throws(WyomingError) {
        if let rest = resampler?.finish() { try store(rest) }
        resampler = nil
    }

    private mutating func store(_ samples: [Float]) throws(WyomingError) {
        count += samples.count
        guard seconds <= maxSeconds else {
            throw WyomingError(.tooLong, "The recording is longer than \(Timestamp.clock(maxSeconds)).")
        }
        do throws(HTTPError) {
            try recording.append(Self.bytes(samples))
        } catch {
            throw WyomingError(.internalFailure, error.message)
        }
    }

    /// As 32-bit numbers: the recognizer rounds them to 16 bits, as it does with files.
    private static func bytes(_ samples: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * samples.count)
        for sample in samples {
            let word = sample.bitPattern
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    private static func format(_ data: JSONValue) throws(WyomingError) -> Format {
        let encodings: [Int: SampleEncoding] = [1: .u8, 2: .s16le, 4: .s32le]
        guard let rate = data["rate"]?.count, rates.contains(rate), let width = data["width"]?.count,
            let encoding = encodings[width], let channels = data["channels"]?.count, Self.channels.contains(channels)
        else {
            throw WyomingError(
                .badAudio, "Audio needs a rate of 8000 to 96000, a width of 1, 2 or 4, and 1 to 8 channels.")
        }
        return Format(rate: rate, encoding: encoding, channels: channels)
    }

    private static func mean(_ samples: [Float], channels: Int) -> [Float] {
        (0..<(samples.count / channels)).map { frame in
            samples[(frame * channels)..<((frame + 1) * channels)].reduce(0, +) / Float(channels)
        }
    }
}
