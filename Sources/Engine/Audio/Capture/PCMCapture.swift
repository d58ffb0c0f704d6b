package import EngineBasics

/// Raw samples read from a descriptor as they arrive, such as the output of `arecord -t raw` through a pipe.
///
/// Nothing is lost: a writer faster than the consumer has to wait. Samples that arrive while paused are discarded.
package final class PCMCapture: CaptureSource {
    package let device: String? = nil

    private let file: OpenFile
    private let format: RawFormat
    private let diagnostics = SharedDiagnostics()
    private let control = CaptureControl()

    /// Returns without waiting for the first samples.
    ///
    /// - Parameters:
    ///   - descriptor: duplicated; the caller keeps ownership.
    ///   - name: the name in error messages; `-` is shown as standard input.
    /// - Throws: if the descriptor is closed, a terminal or a folder.
    package init(descriptor: Int32, name: FilePath = FilePath("-"), format: RawFormat) throws(AudioFormatError) {
        file = try OpenFile(descriptor: descriptor, name: name, waits: false)
        self.format = format
    }

    /// Warnings so far: repaired samples, an incomplete sample at the end.
    package var warnings: [AudioFile.Warning] { diagnostics.current.warnings }

    package func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        let reader = PCMCaptureReader(file, format, diagnostics, control)
        return AsyncThrowingStream(unfolding: { try await reader.next() })
    }

    package func pause() { control.pause() }
    package func resume() { control.resume() }
    package func stop() { control.stop() }
}

/// Reads samples on a dedicated thread, since the shared threads of tasks must not block.
private actor PCMCaptureReader {
    private let executor = ComputeExecutor()
    private let file: OpenFile
    private let control: CaptureControl
    private let reader: PCMReader
    private var isAtEnd = false
    /// Samples delivered after `stop`.
    private var samplesAfterStop = 0

    /// Milliseconds to wait for data before checking for `stop`.
    private static let pollTimeout: Int32 = 50
    /// After `stop`, a pipe is drained up to this many samples; its writer might never end.
    private static let maxSamplesAfterStop = 4 * AudioChunk.sampleRate

    init(_ file: OpenFile, _ format: RawFormat, _ diagnostics: SharedDiagnostics, _ control: CaptureControl) {
        self.file = file
        self.control = control
        reader = PCMReader(ByteReader(file), format: format, diagnostics: diagnostics)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func next() throws -> CaptureEvent? {
        while !isAtEnd {
            try Task.checkCancellation()
            let isStopped = control.isStopped
            if isStopped,
                control.isPaused || !file.isPipe || samplesAfterStop >= Self.maxSamplesAfterStop
                    || !file.isReady(within: 0)
            {
                break
            }
            guard file.isReady(within: Self.pollTimeout) else { continue }
            guard let samples = try reader.nextAvailable() else { break }
            if samples.isEmpty || control.isPaused { continue }
            if isStopped { samplesAfterStop += samples.count }
            return .samples(samples)
        }
        isAtEnd = true
        return nil
    }
}
