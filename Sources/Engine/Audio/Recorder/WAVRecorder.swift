/// Writes sound to a WAV file as it is heard: 16 kHz, mono, 16 bits.
///
/// The file is a valid recording at every moment: what its header promises is there. After a crash it is longer than
/// its header says by some seconds, which going on with it brings back. Its actor's work is done on a thread of its
/// own, since disks make wait.
public actor WAVRecorder {
    public nonisolated let path: FilePath
    /// Samples that the file held when it was opened.
    public nonisolated let startSamples: Int

    private let executor = ComputeExecutor()
    private let file: RecorderFile
    /// Samples that came so far; the next one's place, whatever could be written.
    private var count: Int
    /// Samples that the header tells.
    private var told: Int

    /// Sound between two writings of the header: 5 s.
    private static let headerInterval = 5 * AudioChunk.sampleRate

    /// - Parameter resuming: goes on behind what is in the file, should it be there; else it must not be there.
    public init(_ path: FilePath, resuming: Bool) throws(RecorderError) {
        let file = try RecorderFile(path, mayExist: resuming)
        let size = file.size
        let head = file.head(RecorderHeader.size)
        let isBegun = RecorderHeader.isOurs(head)
        // One that was killed before its header was whole has no sound.
        guard isBegun || size < RecorderHeader.size && RecorderHeader.isBeginning(head) else {
            throw .notARecording(path)
        }
        self.path = path
        self.file = file
        startSamples = isBegun ? (size - RecorderHeader.size) / 2 : 0
        count = startSamples
        told = startSamples
        try file.write(RecorderHeader.bytes(samples: startSamples), at: 0)
        try file.resize(RecorderHeader.position(startSamples))
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Samples in the file; those that could not be written count as silence.
    public var samples: Int { count }

    /// Writes down what was heard, full scale ±1.
    ///
    /// - Throws: when it could not be written; later sound keeps its place behind a silence.
    public func append(_ samples: [Float]) throws(RecorderError) {
        let start = count
        count += samples.count
        try file.write(RecorderHeader.words(samples), at: RecorderHeader.position(start))
        if count - told >= Self.headerInterval { try tell() }
    }

    /// Completes the file; it may be gone on with.
    public func close() throws(RecorderError) {
        try tell()
        try file.synchronize()
    }

    /// Sound first, so that the header never promises what is not on the disk.
    private func tell() throws(RecorderError) {
        if file.size < RecorderHeader.position(count) { try file.resize(RecorderHeader.position(count)) }
        try file.synchronize()
        try file.write(RecorderHeader.bytes(samples: count), at: 0)
        told = count
    }
}
