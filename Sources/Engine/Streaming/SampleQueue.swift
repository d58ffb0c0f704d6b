package import EngineAudio
package import EngineBasics

/// A first-in, first-out queue of audio to be decoded: the first half minute in memory, the rest in an unlinked file.
package struct SampleQueue: ~Copyable {
    /// Maximum samples in memory: 30 s, 1.92 MB.
    package static let memorySamples = 480_000
    /// Maximum file size: 2 GiB, 18 hours.
    package static let fileBytes = 2 << 30
    private static let blockSamples = 16_000

    /// Number of queued samples.
    package private(set) var count = 0
    /// Whether a file is in use.
    package var isOnDisk: Bool { spool != nil }

    private var memory: [Float] = []
    /// Index of the oldest sample in `memory`.
    private var first = 0
    private var spool: ScratchFile?
    /// Number of samples read from and written to the file.
    private var readCount = 0
    private var writtenCount = 0
    private let folders: [FilePath]
    private let memoryLimit: Int
    private let fileLimit: Int

    package init(
        folders: [FilePath] = ScratchFile.defaultFolders, memorySamples: Int = Self.memorySamples,
        fileBytes: Int = Self.fileBytes
    ) {
        self.folders = folders
        memoryLimit = memorySamples
        fileLimit = fileBytes
    }

    /// Appends samples, rounded to 16 bits, which is the resolution of captured audio.
    ///
    /// - Parameter samples: values in -1…1.
    /// - Throws: `SampleStoreError` if the file cannot be created, is full or cannot be written.
    package mutating func append(_ samples: [Float]) throws(SampleStoreError) {
        if spool == nil, memory.count - first + samples.count <= memoryLimit {
            var samples = samples
            SampleKernels.quantize(&samples, down: false)
            memory += samples
        } else {
            try write(samples)
        }
        count += samples.count
    }

    /// Removes and returns up to `limit` of the oldest samples.
    package mutating func removeFirst(upTo limit: Int) throws(SampleStoreError) -> [Float] {
        if first == memory.count { try refill() }
        let removed = min(limit, memory.count - first)
        guard removed > 0 else { return [] }
        let samples = Array(memory[first..<(first + removed)])
        first += removed
        count -= removed
        if first == memory.count {
            memory.removeAll(keepingCapacity: memory.count <= Self.blockSamples)
            first = 0
        } else if first > 4 * Self.blockSamples {
            memory.removeSubrange(..<first)
            first = 0
        }
        return samples
    }

    private mutating func write(_ samples: [Float]) throws(SampleStoreError) {
        if spool == nil {
            guard let file = ScratchFile(in: folders) else {
                throw .writeFailed(folders.first ?? FilePath("/tmp"))
            }
            (spool, readCount, writtenCount) = (file, 0, 0)
        }
        guard let spool else { return }
        var values: [Int16] = []
        SampleKernels.append(samples, to: &values)
        guard 2 * (writtenCount + values.count) <= fileLimit else { throw .diskFull(folders.first ?? FilePath("/tmp")) }
        try spool.write(values, at: 2 * writtenCount)
        writtenCount += values.count
    }

    /// Reads the next block of the file into memory and closes the file at its end.
    private mutating func refill() throws(SampleStoreError) {
        guard let file = spool else { return }
        let block = min(writtenCount - readCount, Self.blockSamples)
        memory = SampleKernels.floats(ofLittle16: try file.read(at: 2 * readCount, count: 2 * block))
        first = 0
        readCount += block
        if readCount == writtenCount { spool = nil }
    }
}
