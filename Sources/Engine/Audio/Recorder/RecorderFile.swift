import EngineBasics
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
        guard let status = try? DiskAccess.status(of: descriptor), status.kind == .file else {
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
    var size: Int { (try? DiskAccess.status(of: descriptor))?.size ?? 0 }

    /// Returns the first bytes, at most `count`.
    func head(_ count: Int) -> [UInt8] { DiskAccess.prefix(of: descriptor, count: count) }

    /// Writes numbers, little-endian.
    func write(_ numbers: [some FixedWidthInteger], at position: Int) throws(RecorderError) {
        do { try DiskAccess.write(numbers, to: descriptor, at: position) } catch { throw failure(error) }
    }

    /// Sets the size; added bytes are silence and take no space.
    func resize(_ size: Int) throws(RecorderError) {
        do { _ = try DiskAccess.checked { ftruncate(descriptor, size) } } catch { throw failure(error) }
    }

    /// Returns once everything is on disk.
    func synchronize() throws(RecorderError) {
        do {
            _ = try DiskAccess.checked { fdatasync(descriptor) }
        } catch {
            // A special file, which cannot be synchronized.
            if error.code == EINVAL || error.code == EROFS { return }
            throw failure(error)
        }
    }

    private func failure(_ fault: DiskAccess.Fault) -> RecorderError {
        fault.isNoSpace ? .diskFull(path) : .writeFailed(path)
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
