package import EngineBasics
import Synchronization

/// Packed weights in a file that processes map, so that they share its memory.
///
/// The file has a header, followed by the mappings of a `WeightArena` in the order in which they are made, each at a
/// multiple of the huge page size. It is renamed to its final name when it is complete. After that it is only replaced
/// or removed as a whole, which does not affect processes that have mapped it. Its mode keeps other programs from
/// writing to it, except those of root, and processes that have mapped it make copies before it changes
/// (`SharedPages`).
///
/// A program that changes the content changes the time of modification, too, which is in the header: the file is then
/// packed anew. A digest of the content would take longer than packing. If it sets the time back afterwards, it goes
/// unnoticed: such a program runs as the same user or as root, and could as well change the model or this program. The
/// time of the inode's last change, which no program can set, is no help: every process that uses the file updates it
/// (`touch`).
///
/// It is valid only until the machine is restarted (its key includes the boot ID). So it need not be flushed to disk,
/// and a crash of the machine cannot leave an incomplete file that looks valid.
package final class PackedWeightFile: Sendable {
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
    private let pages: SharedPages
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
        /// For writing a file that is being created.
        var writer: Int32?
    }

    /// Opens the file of a key.
    ///
    /// - Parameter key: identifies the content; in lower-case hexadecimal.
    /// - Returns: `nil` if there is no such file, or if it is damaged or belongs to another key or user.
    package init?(opening path: FilePath, key: String) {
        guard let descriptor = try? DiskAccess.openExisting(path) else { return nil }
        pages = SharedPages(descriptor)
        // Protected first, so that nothing changes after the checks.
        guard let status = try? DiskAccess.status(of: descriptor), status.kind == .file,
            status.owner == DiskAccess.userID, (try? pages.protect()) != nil,
            let header = Header(DiskAccess.prefix(of: descriptor, count: Header.maxBytes)), header.key == key,
            header.matches(try? DiskAccess.status(of: descriptor))
        else { return nil }
        // Files that have not been touched for a day are removed.
        try? DiskAccess.touch(descriptor)
        isFilled = true
        temporary = nil
        stored = (header.size, header.layout)
        (self.path, self.key) = (path, key)
    }

    /// Creates a file that gets its name in `finish`.
    ///
    /// - Parameter temporary: its name until then.
    package init(creating path: FilePath, key: String, temporary: FilePath) throws(PackedWeightFailure) {
        do throws(DiskAccess.Fault) {
            pages = SharedPages(try DiskAccess.create(temporary, mode: 0o600, isWritable: false))
        } catch { throw .disk(error) }
        do throws(DiskAccess.Fault) {
            // Now rather than after packing.
            try pages.protect()
            pages.unprotect()
            let writer = try DiskAccess.openForWriting(temporary, isReadable: true)
            state.withLock { $0.writer = writer }
        } catch {
            try? DiskAccess.remove(file: temporary)
            throw error.isUnsupported ? .unprotected : .disk(error)
        }
        isFilled = false
        stored = nil
        (self.path, self.key, self.temporary) = (path, key, temporary)
    }

    deinit {
        let (writer, isInPlace) = state.withLock { ($0.writer, $0.isInPlace) }
        if let writer { try? DiskAccess.close(writer) }
        if let temporary, !isInPlace { try? DiskAccess.remove(file: temporary) }
    }

    /// Why the file cannot be used, if so.
    package var failure: PackedWeightFailure? { state.withLock { $0.failure } }

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
                } else if let writer = state.writer {
                    try allocate(range, of: writer)
                }
            } catch {
                state.failure = error
                throw .outOfMemory(bytes: count)
            }
            state.end = range.upperBound
            do throws(ComputeError) {
                if let part = try pages.part(range, writer: state.writer) { return part }
            } catch {
                state.failure = .notMapped
                throw error
            }
            state.failure = .otherContent
            throw .outOfMemory(bytes: count)
        }
    }

    /// Reserves space for a part of the file. The file takes at most half of what is free, so that it cannot fill the
    /// disk.
    private func allocate(_ range: Range<Int>, of writer: Int32) throws(PackedWeightFailure) {
        do throws(DiskAccess.Fault) {
            guard try DiskAccess.freeBytes(in: path.folder) >= range.upperBound + range.count else { throw .noSpace }
            try DiskAccess.allocate(range, of: writer)
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
                } else if let temporary, let writer = state.writer.take() {
                    try complete(temporary, writer, size: state.end, layout)
                    state.isInPlace = true
                }
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    private func complete(
        _ temporary: FilePath, _ writer: Int32, size: Int, _ layout: Layout
    ) throws(PackedWeightFailure) {
        do throws(DiskAccess.Fault) {
            defer { try? DiskAccess.close(writer) }
            let time = try DiskAccess.status(of: writer).modified.seconds
            let header = Header(key: key, size: size, layout: layout, time: time)
            try DiskAccess.write(header.bytes, to: writer, at: 0)
            try DiskAccess.setPermissions(of: writer, to: 0o400)
            try DiskAccess.setModified(writer, time)
        } catch { throw .disk(error) }
        guard pages.seal() else { throw .notMapped }
        do throws(DiskAccess.Fault) {
            try pages.protect()
            try DiskAccess.rename(temporary, to: path)
        } catch { throw .disk(error) }
    }

    /// Lines of text at the start of the file; the last one is a checksum of the others.
    private struct Header {
        let key: String
        let size: Int
        let layout: Layout
        /// The time of modification, in seconds since 1970.
        let time: Int

        static let maxBytes = 512
        private static let title = "whisper-local packed weights 2"

        var bytes: [UInt8] {
            let text = "\(Self.title)\n\(key)\n\(size) \(layout.blocks) \(layout.bytes) \(time)\n"
            return Array((text + SHA256.hexadecimal(of: Array(text.utf8)) + "\n").utf8)
        }

        init(key: String, size: Int, layout: Layout, time: Int) {
            (self.key, self.size, self.layout, self.time) = (key, size, layout, time)
        }

        /// Whether nothing has been written since the file was completed: that would set the current time, with a
        /// fraction of a second.
        func matches(_ status: DiskAccess.Status?) -> Bool {
            status.map { $0.size == size && $0.modified.seconds == time && $0.modified.nanoseconds == 0 } ?? false
        }

        /// - Returns: `nil` if the bytes do not begin with a header.
        init?(_ bytes: [UInt8]) {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4)
                .map { String(decoding: $0, as: UTF8.self) }
            guard lines.count > 3 else { return nil }
            let numbers = lines[2].split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 4 else { return nil }
            key = lines[1]
            size = numbers[0]
            layout = Layout(blocks: numbers[1], bytes: numbers[2])
            time = numbers[3]
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
    /// A file that was created with this key does not have this model's weights, or another program has changed it.
    case otherContent
    /// The file system does not let a process protect the file from changes.
    case unprotected
    /// The file cannot be mapped.
    case notMapped
    /// The program or the boot cannot be identified, because /proc is not available.
    case noIdentity
}
