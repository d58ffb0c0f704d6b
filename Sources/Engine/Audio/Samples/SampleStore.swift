/// The samples of a whole recording, kept as 16-bit numbers so that they can be read twice in constant memory.
///
/// Up to 4 MiB (two minutes) stay in memory; beyond that they go to a file without a name, which vanishes with the
/// process. Where no folder takes one, they stay in memory.
public struct SampleStore: ~Copyable, Sendable {
    /// Bytes in memory before a file is used.
    package static let memoryBytes = 4 << 20

    /// Samples held.
    public private(set) var count = 0
    /// Whether a file is in use.
    package var isOnDisk: Bool { file != nil }

    private var memory: [Int16] = []
    private var file: ScratchFile?
    private var triedFile = false
    private let folders: [FilePath]
    private let limit: Int

    /// Uses `$TMPDIR`, `/tmp` or `/var/tmp`.
    public init() {
        self.init(folders: ScratchFile.usualFolders, memoryBytes: Self.memoryBytes)
    }

    package init(folders: [FilePath], memoryBytes: Int) {
        self.folders = folders
        limit = memoryBytes / 2
    }

    /// - Parameter samples: -1…1; values that are no multiples of 1/32768 are rounded to them.
    public mutating func append(_ samples: [Float]) throws(SampleStoreError) {
        SampleKernels.append(samples, to: &memory)
        count += samples.count
        if memory.count > limit { try spill() }
    }

    /// - Parameter range: is clamped to what there is.
    public func read(_ range: Range<Int>) throws(SampleStoreError) -> [Float] {
        let range = range.clamped(to: 0..<count)
        let stored = count - memory.count
        var samples: [Float] = []
        samples.reserveCapacity(range.count)
        let onDisk = range.clamped(to: 0..<stored)
        if let file, !onDisk.isEmpty {
            let bytes = try file.read(at: 2 * onDisk.lowerBound, count: 2 * onDisk.count)
            let found = SampleKernels.floats(ofLittle16: bytes)
            if found.count == range.count { return found }
            samples += found
        }
        for index in range.clamped(to: stored..<count) { samples.append(Float(memory[index - stored]) / 32768) }
        return samples
    }

    /// Moves what is in memory to the file.
    private mutating func spill() throws(SampleStoreError) {
        if !triedFile {
            triedFile = true
            file = ScratchFile(in: folders)
        }
        guard let file else { return }
        for index in memory.indices where memory[index] != memory[index].littleEndian {
            memory[index] = memory[index].littleEndian
        }
        try file.write(memory, at: 2 * (count - memory.count))
        memory.removeAll(keepingCapacity: true)
    }
}
