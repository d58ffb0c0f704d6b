/// Samples without a header from a descriptor, as they come: `arecord -t raw | whisper-local live`.
///
/// Nothing is lost: a writer who is faster than the listener waits. What comes while paused is read and dropped.
public final class PCMCapture: CaptureSource {
    public let device: String? = nil

    private let file: OpenFile
    private let format: RawFormat
    private let report = AudioReport()
    private let control = CaptureControl()

    /// Does not wait for the first samples.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's.
    ///   - name: for messages; `-` is shown as standard input.
    /// - Throws: when the descriptor is closed, a terminal or a folder.
    public init(descriptor: Int32, name: FilePath = FilePath("-"), format: RawFormat) throws(AudioFormatError) {
        file = try OpenFile(descriptor: descriptor, name: name, waits: false)
        self.format = format
    }

    /// What was noticed so far: repaired samples, a part of a sample at the end.
    public var warnings: [AudioWarning] { report.current.warnings }

    public func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        let arrivals = PCMArrivals(file, format, report, control)
        return AsyncThrowingStream(unfolding: { try await arrivals.next() })
    }

    public func pause() { control.pause() }
    public func resume() { control.resume() }
    public func stop() { control.stop() }
}
