import EngineBasics

/// Uncompressed audio in a RIFF, RF64 or BW64 file: 8 to 32-bit PCM, floating point, A-law and µ-law.
///
/// Needs no external library. At 16 kHz mono its samples equal FFmpeg's; otherwise the resamplers differ.
package struct WAVSource: AudioSource {
    package let duration: Duration?
    private let file: OpenFile
    private let format: RawFormat
    private let header: WAVHeader
    /// The channel to read, counted from 0; `nil` mixes all.
    private var channel: Int?
    private var diagnostics: SharedDiagnostics

    init(_ file: OpenFile, _ header: WAVHeader) throws(AudioFormatError) {
        switch header.coding {
        case .samples(let encoding):
            format = try RawFormat(encoding: encoding, sampleRate: header.sampleRate, channels: header.channels)
        case .other(let tag):
            throw .unsupportedCodec(file.name, tag: Self.name(ofTag: tag))
        }
        self.file = file
        self.header = header
        let seconds = header.dataBytes.flatMap(header.seconds)
        // The header of a pipe cannot be checked against what will follow.
        duration = file.isPipe ? nil : seconds.map { .seconds($0) }
        diagnostics = SharedDiagnostics(AudioDiagnostics(header))
    }

    /// Each channel as a separate source.
    var channels: [WAVSource] {
        (0..<format.channels).map { channel in
            var source = self
            source.channel = channel
            source.diagnostics = SharedDiagnostics(AudioDiagnostics(header))
            return source
        }
    }

    package var warnings: [AudioFile.Warning] { diagnostics.current.warnings }

    package func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        ChunkStream.start { [file, format, channel, header, diagnostics] in
            PCMReader(
                ByteReader(file, from: header.dataStart), format: format, channel: channel, length: header.dataBytes,
                initial: AudioDiagnostics(header), diagnostics: diagnostics)
        }
    }

    /// Formats a codec number as `0x9999`.
    static func name(ofTag tag: UInt16) -> String { "0x" + Digits.hexadecimal(tag, width: 4) }
}

extension AudioDiagnostics {
    /// The diagnostics of a WAV header, independent of the reader of its samples.
    init(_ header: WAVHeader) {
        self.init()
        declaredSeconds = header.declaredBytes.flatMap(header.seconds)
        sizeUnset = header.sizeUnset
        trailingBytes = header.trailingBytes
    }
}
