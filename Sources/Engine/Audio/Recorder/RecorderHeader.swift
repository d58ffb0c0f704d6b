/// The WAV header of a recording in progress.
///
/// A `JUNK` chunk reserves space for the `ds64` chunk of RF64 (EBU Tech 3306), which replaces it when the recording
/// outgrows RIFF's 32-bit sizes.
package enum RecorderHeader {
    /// The header's size in bytes.
    package static let size = 80

    /// Returns the position of a sample in the file.
    static func position(_ sample: Int) -> Int { size + 2 * sample }

    package static func bytes(samples: Int) -> [UInt8] {
        let dataBytes = 2 * samples
        let riffBytes = dataBytes + size - 8
        let isLong = riffBytes > UInt32.max
        let long =
            little(isLong ? riffBytes : 0, 8) + little(isLong ? dataBytes : 0, 8) + little(isLong ? samples : 0, 8)
        return Array((isLong ? "RF64" : "RIFF").utf8) + little(isLong ? Int(UInt32.max) : riffBytes, 4)
            + Array("WAVE".utf8)
            + Array((isLong ? "ds64" : "JUNK").utf8) + little(28, 4) + long + little(0, 4)
            + format
            + Array("data".utf8) + little(isLong ? Int(UInt32.max) : dataBytes, 4)
    }

    /// Whether a file with these first bytes was written by `WAVRecorder`.
    package static func isOurs(_ head: [UInt8]) -> Bool {
        guard head.count >= size else { return false }
        return [bytes(samples: 0), bytes(samples: 1 << 32)].contains { header in
            [0..<4, 8..<20, 48..<76].allSatisfy { head[$0] == header[$0] }
        }
    }

    /// Whether these bytes are an incomplete header.
    static func isBeginning(_ head: [UInt8]) -> Bool {
        head.count < size && bytes(samples: 0).starts(with: head)
    }

    /// PCM, one channel.
    private static let format: [UInt8] =
        Array("fmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2) + little(AudioChunk.sampleRate, 4)
        + little(2 * AudioChunk.sampleRate, 4) + little(2, 2) + little(16, 2)

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
