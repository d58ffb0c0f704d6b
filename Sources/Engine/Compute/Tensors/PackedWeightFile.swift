import Synchronization

/// Packed weights in a file that processes map, so that they share its memory.
///
/// The file has a header, followed by the mappings of a `WeightArena` in the order in which they are made, each at a
/// multiple of the huge page size. It is renamed to its final name when it is complete. After that it is only replaced
/// or removed as a whole, which does not affect processes that have mapped it. Its mode keeps other programs from
/// writing to it: truncating a mapped file would kill these processes.
///
/// It is valid only until the machine is restarted (its key includes the boot ID). So it need not be flushed to disk,
/// and a crash of the machine cannot leave an incomplete file that looks valid.
final class PackedWeightFile: Sendable {
    /// How many blocks were taken from the arena, and their bytes.
    struct Layout: Equatable {
        private(set) var blocks = 0
        private(set) var bytes = 0

        mutating func add(_ count: Int) {
            blocks += 1
            bytes += count
        }
    }

    /// Whether the file already existed, with its weights.
    let isFilled: Bool
    private let path: FilePath
    private let key: String
    private let descriptor: Int32
    /// The file's name until it is complete.
    private let temporary: FilePath?
    /// The size and layout of an opened file.
    private let stored: (size: Int, layout: Layout)?
    private let state = Mutex(State())

    private struct State {
        /// The end of the last mapping.
        var end = PageMapping.hugePage
        var failure: PackedWeightFailure?
        var isInPlace = false
    }

    /// Opens the file of a key.
    ///
    /// - Parameter key: identifies the content; in lower-case hexadecimal.
    /// - Returns: `nil` if there is no such file, or if it is damaged or belongs to another key or user.
    init?(opening path: FilePath, key: String) {
        guard let descriptor = try? DiskAccess.openExisting(path) else { return nil }
        guard let status = try? DiskAccess.status(of: descriptor), status.kind == .file,
            status.owner == DiskAccess.userID,
            let header = Header(DiskAccess.prefix(of: descriptor, count: Header.maxBytes)), header.key == key,
            header.size == status.size
        else {
            try? DiskAccess.close(descriptor)
            return nil
        }
        // Files that have not been touched for a day are removed.
        try? DiskAccess.touch(descriptor)
        isFilled = true
        temporary = nil
        stored = (header.size, header.layout)
        (self.path, self.key, self.descriptor) = (path, key, descriptor)
    }

    /// Creates a file that gets its name in `finish`.
    ///
    /// - Parameter temporary: its name until then.
    init(creating path: FilePath, key: String, temporary: FilePath) throws(DiskAccess.Fault) {
        descriptor = try DiskAccess.create(temporary, mode: 0o400, isReadable: true)
        isFilled = false
        stored = nil
        (self.path, self.key, self.temporary) = (path, key, temporary)
    }

    deinit {
        try? DiskAccess.close(descriptor)
        if let temporary, !state.withLock({ $0.isInPlace }) { try? DiskAccess.remove(file: temporary) }
    }

    /// Why the file cannot be used, if so.
    var failure: PackedWeightFailure? { state.withLock { $0.failure } }

    /// Maps the next part of the file.
    ///
    /// - Throws: `ComputeError.outOfMemory`; `failure` then has the reason.
    func mapping(count: Int) throws(ComputeError) -> PageMapping {
        let count = (count + PageMapping.hugePage - 1) / PageMapping.hugePage * PageMapping.hugePage
        return try state.withLock { state throws(ComputeError) in
            let range = state.end..<(state.end + count)
            do throws(PackedWeightFailure) {
                if let stored {
                    guard range.upperBound <= stored.size else { throw .otherContent }
                } else {
                    try allocate(range)
                }
            } catch {
                state.failure = error
                throw .outOfMemory(bytes: count)
            }
            state.end = range.upperBound
            do throws(ComputeError) {
                return try PageMapping(
                    count: count, of: descriptor, at: range.lowerBound, isWritable: stored == nil)
            } catch {
                state.failure = .notMapped
                throw error
            }
        }
    }

    /// Reserves space for a part of the file. The file takes at most half of what is free, so that it cannot fill the disk.
    private func allocate(_ range: Range<Int>) throws(PackedWeightFailure) {
        do throws(DiskAccess.Fault) {
            guard try DiskAccess.freeBytes(in: path.folder) >= range.upperBound + range.count else { throw .noSpace }
            try DiskAccess.allocate(range, of: descriptor)
        } catch { throw .disk(error) }
    }

    /// Checks that an opened file has been used as it was created; completes a created file.
    ///
    /// - Returns: false if the file cannot be used; `failure` then has the reason.
    func finish(_ layout: Layout) -> Bool {
        state.withLock { state in
            do throws(PackedWeightFailure) {
                if let stored {
                    guard stored == (state.end, layout) else { throw .otherContent }
                } else {
                    try putInPlace(Header(key: key, size: state.end, layout: layout))
                    state.isInPlace = true
                }
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    private func putInPlace(_ header: Header) throws(PackedWeightFailure) {
        guard let temporary else { return }
        do throws(DiskAccess.Fault) {
            try DiskAccess.write(header.bytes, to: descriptor, at: 0)
            try DiskAccess.rename(temporary, to: path)
        } catch { throw .disk(error) }
    }

    /// Lines of text at the start of the file; the last one is a checksum of the others.
    private struct Header {
        let key: String
        let size: Int
        let layout: Layout

        static let maxBytes = 512
        private static let title = "whisper-local packed weights 1"

        var bytes: [UInt8] {
            let text = "\(Self.title)\n\(key)\n\(size) \(layout.blocks) \(layout.bytes)\n"
            return Array((text + SHA256.hexadecimal(of: Array(text.utf8)) + "\n").utf8)
        }

        init(key: String, size: Int, layout: Layout) {
            (self.key, self.size, self.layout) = (key, size, layout)
        }

        /// - Returns: `nil` if the bytes do not begin with a header.
        init?(_ bytes: [UInt8]) {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4)
                .map { String(decoding: $0, as: UTF8.self) }
            guard lines.count > 3 else { return nil }
            let numbers = lines[2].split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3 else { return nil }
            key = lines[1]
            size = numbers[0]
            layout = Layout(blocks: numbers[1], bytes: numbers[2])
            guard bytes.starts(with: self.bytes) else { return nil }
        }
    }
}

/// Where the packed weights of a model are.
package enum PackedWeights: Sendable, Equatable {
    /// In memory of this process.
    case own
    /// In a file that other processes can map, which this one created or found.
    case shared(FilePath, isNew: Bool)
    /// In memory of this process, although they should have been shared.
    case notShared(FilePath, PackedWeightFailure)
}

/// Why packed weights are not shared.
package enum PackedWeightFailure: Error, Equatable, Sendable {
    case disk(DiskAccess.Fault)
    /// The folder is on a file server or the like.
    case remoteFolder
    /// Another process has been packing for too long.
    case busy
    /// A file that was created with this key does not have this model's weights.
    case otherContent
    /// The file cannot be mapped.
    case notMapped
    /// The program or the boot cannot be identified, because /proc is not available.
    case noIdentity
}
