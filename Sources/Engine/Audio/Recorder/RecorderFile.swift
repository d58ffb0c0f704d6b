import Glibc

/// The file being recorded to, locked against other processes of this program.
///
/// Invariants: this object owns the descriptor, which stays open for its lifetime; no pointer outlives the call it is
/// made for.
final class RecorderFile: Sendable {
    let path: FilePath
    private let descriptor: Int32

    /// - Parameters:
    ///   - mayExist: whether an existing file may be opened.
    ///   - mode: the permissions of a new file, reduced by the umask.
    init(_ path: FilePath, mayExist: Bool, mode: UInt32) throws(RecorderError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (mayExist ? 0 : O_EXCL)
        let descriptor = unsafe open(path.cString, flags, mode)
        guard descriptor >= 0 else { throw Self.opening(path, errno) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notARecording(path)
        }
        // File systems without locks return other errors.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            throw .busy(path)
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The file's size in bytes.
    var size: Int {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 ? max(0, Int(facts.st_size)) : 0
    }

    /// Returns the first bytes, at most `count`.
    func head(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, count, 0))
        }
    }

    func write(_ bytes: [UInt8], at position: Int) throws(RecorderError) {
        var written = 0
        while written < bytes.count {
            let got = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written, position + written)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw failure(got == 0 ? ENOSPC : errno) }
            written += got
        }
    }

    /// Sets the size; added bytes are silence and take no space.
    func resize(_ size: Int) throws(RecorderError) {
        while ftruncate(descriptor, size) != 0 {
            guard errno == EINTR else { throw failure(errno) }
        }
    }

    /// Returns once everything is on disk.
    func synchronize() throws(RecorderError) {
        while fdatasync(descriptor) != 0 {
            if errno == EINTR { continue }
            // A special file, which cannot be synchronized.
            if errno == EINVAL || errno == EROFS { return }
            throw failure(errno)
        }
    }

    private func failure(_ code: Int32) -> RecorderError {
        [ENOSPC, EDQUOT, EFBIG].contains(code) ? .diskFull(path) : .writeFailed(path)
    }

    private static func opening(_ path: FilePath, _ code: Int32) -> RecorderError {
        switch code {
        case EEXIST: .exists(path)
        case ENOENT, ENOTDIR: .folderMissing(path)
        case EACCES, EPERM, EROFS: .notPermitted(path)
        case EISDIR, ELOOP, ENXIO, ENODEV: .notARecording(path)
        case ENOSPC, EDQUOT: .diskFull(path)
        default: .cannotCreate(path)
        }
    }
}
