package import EngineBasics

/// Records live audio to a WAV file: 16 kHz, mono, 16 bits.
///
/// The file is a valid recording at all times: everything its header declares is present. After a crash, the file is up
/// to a few seconds longer than the header says, and resuming the recording recovers these samples. Writing runs on a
/// thread of its own, because disks may block.
package actor WAVRecorder {
    package nonisolated let path: FilePath
    /// Samples already in the file when it was opened.
    package nonisolated let startSamples: Int

    private let executor = ComputeExecutor()
    private let file: RecorderFile
    /// Samples received so far: the position of the next one, whether or not all could be written.
    private var count: Int
    /// Samples declared in the header.
    private var declared: Int

    /// Samples between two updates of the header: 5 s.
    private static let headerInterval = 5 * AudioChunk.sampleRate

    /// Creates a recording, or resumes one.
    ///
    /// - Parameters:
    ///   - resuming: whether to append to the file if it exists; otherwise the file must not exist.
    ///   - isPrivate: whether only the user may read a new file.
    package init(_ path: FilePath, resuming: Bool, isPrivate: Bool = false) throws(RecorderError) {
        let file = try RecorderFile(path, mayExist: resuming, mode: isPrivate ? 0o600 : 0o666)
        let size = file.size
        let head = file.head(RecorderHeader.size)
        let isRecording = RecorderHeader.isOurs(head)
        // A process killed before the header was complete has not written any samples.
        guard isRecording || size < RecorderHeader.size && RecorderHeader.isBeginning(head) else {
            throw .notARecording(path)
        }
        self.path = path
        self.file = file
        startSamples = isRecording ? (size - RecorderHeader.size) / 2 : 0
        count = startSamples
        declared = startSamples
        try file.write(RecorderHeader.bytes(samples: startSamples), at: 0)
        try file.resize(RecorderHeader.position(startSamples))
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Samples in the file; those that could not be written count as silence.
    package var samples: Int { count }

    /// Appends samples: 16 kHz mono, -1…1.
    ///
    /// - Throws: if they could not be written; later samples keep their positions after a silence.
    package func append(_ samples: [Float]) throws(RecorderError) {
        let start = count
        count += samples.count
        var words: [Int16] = []
        SampleKernels.append(samples, to: &words)
        try file.write(words, at: RecorderHeader.position(start))
        if count - declared >= Self.headerInterval { try updateHeader() }
    }

    /// Completes the file; it may be resumed later.
    package func close() throws(RecorderError) {
        try updateHeader()
        try file.synchronize()
    }

    /// Updates the header. Samples are synchronized first, so that the header never declares what is not on disk.
    private func updateHeader() throws(RecorderError) {
        if file.size < RecorderHeader.position(count) { try file.resize(RecorderHeader.position(count)) }
        try file.synchronize()
        try file.write(RecorderHeader.bytes(samples: count), at: 0)
        declared = count
    }
}
