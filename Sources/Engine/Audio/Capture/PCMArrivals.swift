/// Waits for samples on a thread of its own, since tasks' threads are not for waiting.
actor PCMArrivals {
    private let executor = ComputeExecutor()
    private let file: OpenFile
    private let control: CaptureControl
    private let reader: PCMReader
    private var isAtEnd = false
    /// Samples handed out after stop.
    private var late = 0

    /// How long the thread waits before it looks whether it is to stop, milliseconds.
    private static let patience: Int32 = 50
    /// What a pipe may hold when it is stopped, and no more: its writer might go on for ever. Samples.
    private static let mostLate = 4 * AudioChunk.sampleRate

    init(_ file: OpenFile, _ format: RawFormat, _ report: AudioReport, _ control: CaptureControl) {
        self.file = file
        self.control = control
        reader = PCMReader(
            ByteReader(file),
            layout: PCMReader.Layout(
                encoding: format.encoding, channels: format.channels, sampleRate: format.sampleRate),
            length: nil, opening: AudioFindings(), report: report)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func next() throws -> CaptureEvent? {
        while !isAtEnd {
            try Task.checkCancellation()
            let isStopped = control.isStopped
            if isStopped, control.isPaused || !file.isPipe || late >= Self.mostLate || file.isStalled { break }
            guard file.isReady(within: Self.patience) else { continue }
            guard let samples = try reader.arrived() else { break }
            if samples.isEmpty || control.isPaused { continue }
            if isStopped { late += samples.count }
            return .samples(samples)
        }
        isAtEnd = true
        return nil
    }
}
