import Glibc

/// Why a file could not be opened or read.
package enum FileError: Error, Equatable, Sendable {
    case noSuchFile
    case notPermitted
    case isFolder
    case notRegular
    case failed(errno: Int32)
    /// The file has become shorter since it was opened.
    case truncated
}

/// A regular file opened for positional reads.
///
/// The file is not memory-mapped: if another program truncates a mapped file, touching the missing pages kills the
/// process, while a short read is an ordinary error. Reading into a small buffer is no slower than faulting pages in.
///
/// Invariant: this object, or the file that it is a part of, owns the descriptor, which stays open for its lifetime;
/// positional reads do not change its state, so threads may share it; no pointer outlives the call it is made for.
package final class ReadOnlyFile: Sendable {
    package let path: FilePath
    /// The size in bytes when the file was opened.
    package let count: Int
    private let descriptor: Int32
    private let status: DiskAccess.Status
    /// Where a part of another file begins in it.
    private let start: Int
    private let whole: ReadOnlyFile?
    private var modified: DiskAccess.Status.Time { status.modified }

    package init(_ path: FilePath) throws(FileError) {
        // O_NONBLOCK: opening a named pipe must not wait for a writer.
        let descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: throw .noSuchFile
            case EACCES, EPERM: throw .notPermitted
            // A socket, or a device without a driver.
            case ENXIO, ENODEV: throw .notRegular
            default: throw .failed(errno: errno)
            }
        }
        var status = stat()
        let code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
        let kind = status.st_mode & S_IFMT
        guard code == 0, kind == S_IFREG else {
            close(descriptor)
            throw code != 0 ? .failed(errno: code) : kind == S_IFDIR ? .isFolder : .notRegular
        }
        self.path = path
        self.descriptor = descriptor
        self.status = DiskAccess.Status(status)
        count = self.status.size
        (start, whole) = (0, nil)
    }

    /// A part of a file, such as a member of an archive, which is read like a file of its own.
    ///
    /// - Parameter range: must lie within 0..<count of the file.
    package init(_ range: Range<Int>, of whole: ReadOnlyFile) {
        precondition(range.lowerBound >= 0 && range.upperBound <= whole.count, "bytes \(range) of \(whole.count)")
        (path, descriptor, status) = (whole.path, whole.descriptor, whole.status)
        (start, count, self.whole) = (whole.start + range.lowerBound, range.count, whole)
    }

    deinit {
        if whole == nil { close(descriptor) }
    }

    /// Whether the size and modification time are still those from when the file was opened.
    package var isUnchanged: Bool {
        guard let now = try? DiskAccess.status(of: descriptor) else { return false }
        return now.size == status.size && now.modified == modified
    }

    /// The size and the modification time in nanoseconds, one of which changes when the file is written.
    package var stamp: String {
        "\(status.size) \(modified.seconds)\(Digits.decimal(modified.nanoseconds, width: 9))"
    }

    /// Identifies the file and its content on this machine, without reading it.
    package var identity: String { "\(status.identity.device) \(status.identity.inode) \(status.contentStamp)" }

    /// Reads the bytes in `range`, which must lie within 0..<count.
    package func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            guard let to = buffer.baseAddress else { return }
            do throws(FileError) {
                unsafe try read(range, into: to)
                filled = range.count
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Whether two ranges of bytes are equal; the other may be in another file.
    package func hasEqualBytes(
        _ range: Range<Int>, _ other: Range<Int>, of file: ReadOnlyFile? = nil
    ) throws(FileError) -> Bool {
        guard range.count == other.count else { return false }
        // Some formats have several names for the same bytes.
        if range == other, file == nil || file === self { return true }
        for start in stride(from: 0, to: range.count, by: Self.comparedBytes) {
            let end = min(range.count, start + Self.comparedBytes)
            let own = try bytes((range.lowerBound + start)..<(range.lowerBound + end))
            let others = try (file ?? self).bytes((other.lowerBound + start)..<(other.lowerBound + end))
            if own != others { return false }
        }
        return true
    }

    private static let comparedBytes = 1 << 20

    /// Reads the bytes in `range`, which must lie within 0..<count, into `memory`.
    package func read(_ range: Range<Int>, into memory: UnsafeMutableRawPointer) throws(FileError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes \(range) of \(count)")
        var done = 0
        while done < range.count {
            let got = unsafe pread(descriptor, memory + done, range.count - done, start + range.lowerBound + done)
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw .failed(errno: errno) }
            if got == 0 { throw .truncated }
            done += got
        }
    }
}
