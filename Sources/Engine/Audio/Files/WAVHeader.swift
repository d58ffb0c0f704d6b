/// What stands before the samples of a RIFF, RF64 or BW64 file.
///
/// Layout: Microsoft's "Multiple Channel Audio Data and WAVE Files"; EBU Tech 3306 (RF64), ITU-R BS.2088 (BW64). No
/// size field is believed before it was compared with the file.
struct WAVHeader: Equatable {
    enum Coding: Equatable {
        case samples(SampleEncoding)
        /// A coding by its registered number that only a decoder library reads.
        case other(tag: UInt16)
    }

    var coding: Coding
    var channels: Int
    var sampleRate: Int
    /// Bytes a second as the header says; only codings of unknown density need it.
    var byteRate: Int
    /// Where the sound begins.
    var dataStart: Int
    /// Bytes of sound that are really there; `nil` where only the end of a pipe tells.
    var dataBytes: Int?
    /// Bytes that the header promises, where the file has less.
    var declaredBytes: Int?
    var sizeUnset: Bool
    /// Bytes behind the sound that are no chunks.
    var trailingBytes: Int

    /// Seconds of so many bytes of sound; `nil` where the coding does not tell.
    func seconds(ofBytes bytes: Int) -> Double? {
        switch coding {
        case .samples(let encoding):
            Double(bytes / (encoding.bytesPerSample * channels)) / Double(sampleRate)
        case .other: byteRate > 0 ? Double(bytes) / Double(byteRate) : nil
        }
    }
}
