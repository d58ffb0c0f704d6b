package import WhisperEngine

/// The recordings named in a list, one on each line or, with `-0`, each followed by a zero byte: `PATH`, or `SECONDS`, a
/// tab and `PATH`.
///
/// Keeps the list's bytes as they are, because each of many tasks on a machine reads the whole list.
package struct FileList: Sendable {
    /// The largest list, in bytes: a few million recordings.
    static let maxBytes = 1 << 30

    private struct Entry {
        let path: Range<Int>
        let seconds: Double?
    }

    private let bytes: [UInt8]
    private let entries: [Entry]

    package init(_ bytes: [UInt8], separator: UInt8) {
        self.bytes = bytes
        var entries: [Entry] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: separator) ?? bytes.count
            if start < end { entries.append(Self.entry(bytes, start..<end)) }
            start = end + 1
        }
        self.entries = entries
    }

    /// Reads a list.
    ///
    /// - Parameter path: `-` for standard input.
    package init(from path: FilePath, hasZeros: Bool, streams: StandardStreams) throws(FileListError) {
        let input: Input = path == FilePath("-") ? .standardInput : .file(path)
        let bytes: [UInt8]
        if input == .standardInput {
            guard let read = streams.readInput(atMost: Self.maxBytes) else { throw .unreadable(input, nil) }
            bytes = read
        } else {
            switch FileSystem.contents(of: path, atMost: Self.maxBytes, allowingPipes: true) {
            case .success(let read): bytes = read
            case .failure(let problem): throw .unreadable(input, problem)
            }
        }
        self.init(bytes, separator: hasZeros ? 0 : UInt8(ascii: "\n"))
        if entries.isEmpty { throw .empty(input) }
    }

    package var count: Int { entries.count }

    /// The path as the list has it.
    package func path(_ index: Int) -> FilePath {
        let path = FilePath(bytes: bytes[entries[index].path])
        // In a list, `-` is not standard input.
        return path == FilePath("-") ? FilePath("./-") : path
    }

    /// How many entries have a duration.
    package var timedCount: Int { entries.count { $0.seconds != nil } }

    /// The load of each recording when the list is split into shards: its length if every entry has one, else 1.
    package var loads: [Double] {
        timedCount == count ? entries.map { max(Self.shortestLoad, $0.seconds ?? 0) } : entries.map { _ in 1 }
    }

    /// The shortest recording takes as long as a window of 30 seconds.
    private static let shortestLoad = 30.0

    private static func entry(_ bytes: [UInt8], _ line: Range<Int>) -> Entry {
        let tab = UInt8(ascii: "\t")
        // The longest number worth reading.
        let head = line.lowerBound..<min(line.upperBound, line.lowerBound + 24)
        if let end = bytes[head].firstIndex(of: tab), end + 1 < line.upperBound,
            let seconds = ValueSyntax.decimal(Array(bytes[head.lowerBound..<end])), seconds >= 0
        {
            return Entry(path: end + 1..<line.upperBound, seconds: seconds)
        }
        return Entry(path: line, seconds: nil)
    }
}

extension FileList {
    /// The entries of a shard in the order of the list, without those that repeat an earlier entry.
    ///
    /// - Parameter writesFiles: whether output files are written; if so, their names must differ.
    /// - Returns: the entries, the paths that occur more than once, and the entries that differ only in their extension from
    ///   another one in any shard.
    /// - Throws: two recordings, in any shard, whose outputs would have the same name.
    package func entries(
        of shard: Shard?, writesFiles: Bool = true
    ) throws(SameOutput) -> (entries: [Int], repeated: [FilePath], alike: Set<Int>) {
        let (repeated, alike) = writesFiles ? try comparedEntries() : ([], [])
        let wanted = shard?.indices(of: loads) ?? Array(entries.indices)
        return (wanted.filter { !repeated.contains($0) }, repeated.sorted().map(path), alike)
    }

    /// Two recordings whose outputs would have the same name.
    package struct SameOutput: Error, Equatable {
        package let first: FilePath
        package let second: FilePath

        package init(first: FilePath, second: FilePath) {
            (self.first, self.second) = (first, second)
        }
    }

    /// Compares hashes first: names of a million recordings would take hundreds of megabytes.
    private func comparedEntries() throws(SameOutput) -> (repeated: Set<Int>, alike: Set<Int>) {
        let hashes = entries.indices.map { index in (hash: OutputPlace(of: path(index)).hashValue, index: index) }
            .sorted { ($0.hash, $0.index) < ($1.hash, $1.index) }
        var (repeated, alike): (Set<Int>, Set<Int>) = ([], [])
        var start = 0
        for end in 1..<hashes.count + 1 where end == hashes.count || hashes[end].hash != hashes[start].hash {
            let same = hashes[start..<end].map(\.index)
            start = end
            guard same.count > 1 else { continue }
            var known: [OutputPlace: [FilePath: FilePath]] = [:]
            for index in same {
                let path = path(index)
                guard let first = known[OutputPlace(of: path), default: [:]].updateValue(path, forKey: path.name) else {
                    continue
                }
                if first != path { throw SameOutput(first: first, second: path) }
                repeated.insert(index)
            }
            alike.formUnion(same.filter { known[OutputPlace(of: path($0))]?.count ?? 0 > 1 })
        }
        return (repeated, alike)
    }
}
