import Glibc

/// Why a file could not be opened or read.
package enum FileError: Error, Equatable, Sendable {
    case noSuchFile
    case notPermitted
    case isFolder
    case notRegular
    case failed(errno: Int32)
    /// It is shorter than when it was opened.
    case cutShort
}

/// A regular file, read by position.
///
/// It is not mapped: when another program cuts a mapped file short, touching the lost pages ends the process; when it
/// is read, that is an error like any other. Reading into a small buffer is no slower than faulting pages in.
///
/// Invariant: the descriptor is this object's own and open for its life; reading by position changes nothing in it, so
/// threads may share it; no pointer outlives the call it is made for.
package final class ReadOnlyFile: Sendable {
    package let path: FilePath
    /// Bytes when it was opened.
    package let count: Int
    private let descriptor: Int32
    private let written: WriteTime

    private struct WriteTime: Hashable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    package init(_ path: FilePath) throws(FileError) {
        // Without waiting: a named pipe under the model's name is refused, not waited for.
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
        count = max(0, Int(status.st_size))
        written = WriteTime(status)
    }

    deinit { close(descriptor) }

    /// Whether it has the size and the time of writing that it had when it was opened.
    package var isUnchanged: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && Int(status.st_size) == count && WriteTime(status) == written
    }

    /// A copy of the bytes of `range`, which lies within 0..<count.
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

    /// Puts the bytes of `range`, which lies within 0..<count, at `start`.
    func read(_ range: Range<Int>, into start: UnsafeMutableRawPointer) throws(FileError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes \(range) of \(count)")
        var done = 0
        while done < range.count {
            let got = unsafe pread(descriptor, start + done, range.count - done, range.lowerBound + done)
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw .failed(errno: errno) }
            if got == 0 { throw .cutShort }
            done += got
        }
    }
}
