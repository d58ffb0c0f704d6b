/// Sound that waits to be decoded, first in, first out: the oldest minute in memory, the rest in a file without a name.
package struct SampleQueue: ~Copyable {
    /// Samples kept in memory: 60 s, 1.92 MB.
    package static let memorySamples = 960_000
    /// Largest file: 2 GiB, 18 hours.
    package static let fileBytes = 2 << 30
    private static let blockSamples = 16_000

    /// Samples waiting.
    package private(set) var count = 0
    /// Whether a file is in use.
    package var isOnDisk: Bool { spool != nil }

    private var memory: [Int16] = []
    private var first = 0
    private var spool: ScratchFile?
    /// Samples read from and written to the file.
    private var readCount = 0
    private var writtenCount = 0
    private let folders: [FilePath]
    private let memoryLimit: Int
    private let fileLimit: Int

    init() {
        self.init(folders: ScratchFile.defaultFolders, memorySamples: Self.memorySamples, fileBytes: Self.fileBytes)
    }

    package init(folders: [FilePath], memorySamples: Int, fileBytes: Int) {
        self.folders = folders
        memoryLimit = memorySamples
        fileLimit = fileBytes
    }

    /// - Parameter samples: -1…1; rounded to multiples of 1/32768, which sound from a device is already.
    package mutating func append(_ samples: [Float]) throws(SampleStoreError) {
        let values = samples.map { sample -> Int16 in
            let scaled = (sample * 32768).rounded(.toNearestOrEven)
            return Int16(min(max(scaled.isNaN ? 0 : scaled, -32768), 32767))
        }
        if spool == nil, memory.count - first + values.count <= memoryLimit {
            memory += values
        } else {
            try write(values)
        }
        count += values.count
    }

    /// The oldest samples, at most `limit`.
    package mutating func take(_ limit: Int) throws(SampleStoreError) -> [Float] {
        if first == memory.count { try refill() }
        let taken = min(limit, memory.count - first)
        guard taken > 0 else { return [] }
        let samples = memory[first..<(first + taken)].map { Float($0) / 32768 }
        first += taken
        count -= taken
        if first == memory.count {
            memory.removeAll(keepingCapacity: memory.count <= Self.blockSamples)
            first = 0
        } else if first > 4 * Self.blockSamples {
            memory.removeSubrange(..<first)
            first = 0
        }
        return samples
    }

    private mutating func write(_ values: [Int16]) throws(SampleStoreError) {
        if spool == nil {
            guard let file = ScratchFile(in: folders) else {
                throw .writeFailed(folders.first ?? FilePath("/tmp"))
            }
            (spool, readCount, writtenCount) = (file, 0, 0)
        }
        guard let spool else { return }
        guard 2 * (writtenCount + values.count) <= fileLimit else { throw .diskFull(folders.first ?? FilePath("/tmp")) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * values.count)
        for value in values {
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        try spool.write(bytes, at: 2 * writtenCount)
        writtenCount += values.count
    }

    /// The next block of the file; the file goes when it is read to its end.
    private mutating func refill() throws(SampleStoreError) {
        guard let file = spool else { return }
        let taken = min(writtenCount - readCount, Self.blockSamples)
        let bytes = try file.read(at: 2 * readCount, count: 2 * taken)
        memory = (0..<taken).map { Int16(bitPattern: Bytes.little16(bytes, 2 * $0)) }
        first = 0
        readCount += taken
        if readCount == writtenCount { spool = nil }
    }
}
