/// Uncompressed sound in RIFF, RF64 or BW64: PCM of 8 to 32 bits, floating point, A-law and µ-law.
///
/// Needs no library. At 16 kHz mono its samples equal FFmpeg's; at other rates they differ by the resampler.
public struct WAVSource: RecordedAudio {
    public let duration: Duration?
    private let file: OpenFile
    private let layout: PCMReader.Layout
    private let header: WAVHeader
    private let opening: AudioFindings
    private let report: AudioReport

    init(_ file: OpenFile, _ header: WAVHeader) throws(AudioFormatError) {
        switch header.coding {
        case .samples(let encoding):
            layout = PCMReader.Layout(
                encoding: encoding, channels: header.channels, sampleRate: header.sampleRate)
        case .other(let tag):
            throw .unsupportedCodec(file.name, tag: Self.name(ofTag: tag))
        }
        self.file = file
        self.header = header
        let seconds = header.dataBytes.flatMap(header.seconds)
        // What a pipe's header says cannot be compared with what will come.
        duration = file.isPipe ? nil : seconds.map { .seconds($0) }
        opening = AudioFindings(header)
        report = AudioReport(opening)
    }

    public var warnings: [AudioWarning] { report.current.warnings }
    public var identity: FileIdentity? { file.identity }

    public func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        ChunkStream.start { [file, layout, header, opening, report] in
            PCMReader(
                ByteReader(file, from: header.dataStart), layout: layout, length: header.dataBytes, opening: opening,
                report: report)
        }
    }

    /// `0x9999`
    static func name(ofTag tag: UInt16) -> String {
        let digits = String(tag, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension AudioFindings {
    /// What a WAV header gives to tell, whoever reads its samples.
    init(_ header: WAVHeader) {
        self.init()
        declaredSeconds = header.declaredBytes.flatMap(header.seconds)
        sizeUnset = header.sizeUnset
        trailingBytes = header.trailingBytes
    }
}
