// Invariant: every descriptor opened here is closed here, and no pointer outlives the call that made it.
import Glibc
package import WhisperEngine

/// What the command needs to know of files: what they are, what is in a folder.
package enum FileSystem {
    package enum Kind: Sendable, Equatable {
        case file, folder, pipe, device, socket
    }

    /// Device and inode: the same for all names of one file.
    package struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    package struct Status: Sendable, Equatable {
        package let kind: Kind
        package let identity: Identity
        package let size: Int

        fileprivate init(_ found: stat) {
            kind =
                switch found.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFIFO: .pipe
                case S_IFSOCK: .socket
                default: .device
                }
            identity = Identity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
            size = Int(found.st_size)
        }
    }

    package enum Problem: Error, Equatable, Sendable {
        case missing, notPermitted, notAFile, tooLarge, failed
    }

    /// Of the file that a path leads to, links followed.
    package static func status(_ path: FilePath) -> Result<Status, Problem> {
        var found = stat()
        guard unsafe stat(path.cString, &found) == 0 else { return .failure(problem(errno)) }
        return .success(Status(found))
    }

    package static func isReadable(_ path: FilePath) -> Bool { unsafe access(path.cString, R_OK) == 0 }

    package static func isRunnable(_ path: FilePath) -> Bool {
        guard case .success(let status) = status(path), status.kind == .file else { return false }
        return unsafe access(path.cString, X_OK) == 0
    }

    /// Names in a folder, without `.` and `..`, sorted by their bytes.
    package static func names(in folder: FilePath) -> Result<[FilePath], Problem> {
        do { return .success(try DiskAccess.names(in: folder)) } catch { return .failure(problem(error.code)) }
    }

    /// A regular file's bytes, if there are not more than `limit`.
    package static func contents(of path: FilePath, atMost limit: Int) -> Result<[UInt8], Problem> {
        switch status(path) {
        case .failure(let problem): return .failure(problem)
        case .success(let status) where status.kind != .file: return .failure(.notAFile)
        case .success(let status) where status.size > limit: return .failure(.tooLarge)
        case .success: break
        }
        let descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(problem(errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count == 0 { return .success(bytes) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .failure(.failed) }
            bytes += buffer.prefix(count)
        }
        return .failure(.tooLarge)
    }

    private static func problem(_ code: Int32) -> Problem {
        switch code {
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM: .notPermitted
        default: .failed
        }
    }
}
