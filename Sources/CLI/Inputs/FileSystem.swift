// Invariant: every descriptor opened here is closed here, and no pointer outlives the call that created it.
import Glibc
package import WhisperEngine

/// File system queries: what a path is, what a folder contains, the contents of small files.
package enum FileSystem {
    package enum Kind: Sendable, Equatable {
        case file, folder, pipe, device, socket
    }

    /// Device and inode, which are the same for all names of a file.
    package struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    package struct Status: Sendable, Equatable {
        package let kind: Kind
        package let identity: Identity
        package let size: Int

        fileprivate init(_ status: stat) {
            kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFIFO: .pipe
                case S_IFSOCK: .socket
                default: .device
                }
            identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
            size = Int(status.st_size)
        }
    }

    package enum Problem: Error, Equatable, Sendable {
        case missing, notPermitted, notAFile, tooLarge, failed
    }

    /// The status of the file that a path leads to, following links.
    package static func status(_ path: FilePath) -> Result<Status, Problem> {
        var status = stat()
        guard unsafe stat(path.cString, &status) == 0 else { return .failure(problem(errno)) }
        return .success(Status(status))
    }

    package static func isReadable(_ path: FilePath) -> Bool { unsafe access(path.cString, R_OK) == 0 }

    package static func isExecutable(_ path: FilePath) -> Bool {
        guard case .success(let status) = status(path), status.kind == .file else { return false }
        return unsafe access(path.cString, X_OK) == 0
    }

    /// The names in a folder, sorted by their bytes, without `.` and `..`.
    package static func names(in folder: FilePath) -> Result<[FilePath], Problem> {
        do { return .success(try DiskAccess.names(in: folder)) } catch { return .failure(problem(error.code)) }
    }

    /// The contents of a regular file of at most `limit` bytes.
    ///
    /// - Parameter allowingPipes: whether it may also be a pipe, such as a shell's `<(…)`.
    package static func contents(
        of path: FilePath, atMost limit: Int, allowingPipes: Bool = false
    ) -> Result<[UInt8], Problem> {
        switch status(path) {
        case .failure(let problem): return .failure(problem)
        case .success(let status) where status.kind == .pipe && allowingPipes: break
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
