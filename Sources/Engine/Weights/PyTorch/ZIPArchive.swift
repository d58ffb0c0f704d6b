import EngineBasics

/// The directory of a ZIP archive of stored entries, as PyTorch writes it.
///
/// Sizes come from the central directory, because local headers written to a stream have none. Only the directory and the
/// local headers are read; everything is validated before any content is.
struct ZIPArchive: Sendable {
    /// A file in the archive.
    struct Entry: Equatable, Sendable {
        let name: String
        /// The range of its bytes in the archive's file.
        let bytes: Range<Int>
        let crc32: UInt32
    }

    /// In the order of their bytes.
    let entries: [Entry]
    private let file: ReadOnlyFile

    /// Whisper's largest models have 1300 entries, so these limits only bound the memory for damaged directories.
    private static let maxEntries = 100_000
    private static let maxDirectoryBytes = 1 << 24
    /// zlib's checksum is computed in chunks of this size.
    private static let chunkBytes = 1 << 20

    /// Reads the directory.
    ///
    /// - Parameter skipsCompressed: whether compressed entries are omitted instead of an error.
    /// - Throws: `ModelError.noArchiveDirectory` if the file ends before it; `ModelError.badArchive`.
    init(_ file: ReadOnlyFile, skipsCompressed: Bool = false) throws(ModelError) {
        self.file = file
        let directory = try ZIPDirectory(file)
        guard directory.count <= Self.maxEntries, directory.bytes.count <= Self.maxDirectoryBytes else {
            throw .badArchive(path: file.path, problem: "has more than \(Self.maxEntries) entries")
        }
        var headers = ZIPFields(try file.checked(directory.bytes))
        var entries: [(start: Int, entry: Entry)] = []
        entries.reserveCapacity(min(directory.count, directory.bytes.count / ZIPHeader.directoryBytes))
        for index in 0..<directory.count {
            guard let header = ZIPHeader(&headers) else {
                throw .badArchive(path: file.path, problem: "has a damaged directory (entry \(index))")
            }
            if skipsCompressed, header.method != 0 { continue }
            entries.append((header.offset, try Self.entry(header, before: directory.bytes.lowerBound, in: file)))
        }
        if !headers.isAtEnd {
            throw .badArchive(path: file.path, problem: "has a directory of more than \(directory.count) entries")
        }
        var names: Set<String> = []
        for (_, entry) in entries where !names.insert(entry.name).inserted {
            throw Self.bad(entry.name, "is listed twice", file)
        }
        entries.sort { ($0.start, $0.entry.bytes.upperBound) < ($1.start, $1.entry.bytes.upperBound) }
        for (previous, next) in zip(entries, entries.dropFirst()) where next.start < previous.entry.bytes.upperBound {
            throw Self.bad(next.entry.name, "overlaps \(ShellQuoting.shown(previous.entry.name))", file)
        }
        self.entries = entries.map(\.entry)
    }

    /// The content of an entry.
    func content(_ entry: Entry) throws(ModelError) -> [UInt8] { try file.checked(entry.bytes) }

    /// Checks all entries against their checksums, which reads the whole archive.
    ///
    /// - Throws: `ModelError.badArchive` for the first entry whose bytes have changed.
    func verify() throws(ModelError) {
        for entry in entries {
            var crc: UInt32 = 0
            for start in stride(from: entry.bytes.lowerBound, to: entry.bytes.upperBound, by: Self.chunkBytes) {
                let chunk = start..<min(start + Self.chunkBytes, entry.bytes.upperBound)
                crc = Zlib.crc32(try file.checked(chunk), after: crc)
            }
            if crc != entry.crc32 { throw Self.bad(entry.name, "does not match its checksum", file) }
        }
    }

    /// Validates a header of the central directory and locates its content with the local header.
    private static func entry(_ header: ZIPHeader, before end: Int, in file: ReadOnlyFile) throws(ModelError) -> Entry {
        guard let name = String(validating: header.name, as: UTF8.self) else {
            throw .badArchive(path: file.path, problem: "has an entry whose name is not UTF-8")
        }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if name.isEmpty || name.hasPrefix("/") || name.contains("\\") || name.contains("\0") || parts.contains("..") {
            throw bad(name, "has a name that is not a plain relative path", file)
        }
        if header.isEncrypted { throw bad(name, "is encrypted", file) }
        if header.method != 0 { throw bad(name, "is compressed; only stored entries are supported", file) }
        if header.disk != 0 { throw bad(name, "is on another disk of a split archive", file) }
        guard header.packedSize == header.size else {
            throw bad(name, "is stored, but has two sizes: \(header.packedSize) and \(header.size)", file)
        }
        let fixed = ZIPHeader.localBytes
        guard header.offset <= end - fixed else { throw bad(name, "begins after the data", file) }
        let localEnd = min(end, header.offset + fixed + header.name.count)
        guard let local = ZIPLocalHeader(try file.checked(header.offset..<localEnd)), local.name == header.name,
            local.method == 0, !local.isEncrypted, local.sizeFollows || local.size == nil || local.size == header.size
        else { throw bad(name, "contradicts its local header", file) }
        let start = header.offset + fixed + local.nameBytes + local.extraBytes
        guard start <= end, header.size <= end - start else {
            throw bad(name, "has \(header.size) bytes, more than the archive", file)
        }
        return Entry(name: name, bytes: start..<(start + header.size), crc32: header.crc32)
    }

    private static func bad(_ entry: String, _ problem: String, _ file: ReadOnlyFile) -> ModelError {
        .badArchive(path: file.path, problem: "has an entry \(ShellQuoting.shown(entry)) that \(problem)")
    }
}

extension ReadOnlyFile {
    /// Reads the bytes in `range`, which must lie within 0..<count.
    func checked(_ range: Range<Int>) throws(ModelError) -> [UInt8] {
        do throws(FileError) {
            return try bytes(range)
        } catch { throw ModelError(error, path: path) }
    }
}
