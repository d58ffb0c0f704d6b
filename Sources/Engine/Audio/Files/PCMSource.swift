/// Samples without a header, laid out as the caller says.
public struct PCMSource: RecordedAudio {
    public let duration: Duration?
    private let file: OpenFile
    private let format: RawFormat
    private let report = AudioReport()

    init(_ file: OpenFile, format: RawFormat) throws(AudioFormatError) {
        guard try !file.bytes(at: 0, count: 1).isEmpty else { throw .emptyFile(file.name) }
        self.file = file
        self.format = format
        let frames = file.size.map { $0 / (format.encoding.bytesPerSample * format.channels) }
        if let frames, frames / format.sampleRate > AudioLimits.longestSeconds { throw .tooLong(file.name) }
        duration = frames.map { .seconds(Double($0) / Double(format.sampleRate)) }
    }

    public var warnings: [AudioWarning] { report.current.warnings }
    public var identity: FileIdentity? { file.identity }

    public func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        ChunkStream.start { [file, format, report] in
            PCMReader(
                ByteReader(file),
                layout: PCMReader.Layout(
                    encoding: format.encoding, channels: format.channels, sampleRate: format.sampleRate),
                length: nil, opening: AudioFindings(), report: report)
        }
    }
}
