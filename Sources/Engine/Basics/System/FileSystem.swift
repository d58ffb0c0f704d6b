import Glibc

/// File system queries: what a path is, what a folder contains, the contents of small files.
package enum FileSystem {
    package enum Problem: Error, Equatable, Sendable {
        case missing, notPermitted, notAFile, tooLarge, failed

        fileprivate init(_ fault: DiskAccess.Fault) {
            self =
                switch fault.code {
                case ENOENT, ENOTDIR: .missing
                case EACCES, EPERM: .notPermitted
                default: .failed
                }
        }
    }

    /// The status of the file that a path leads to, following links.
    package static func status(_ path: FilePath) -> Result<DiskAccess.Status, Problem> {
        do {
            return .success(try DiskAccess.status(of: path, followingLinks: true))
        } catch {
            return .failure(Problem(error))
        }
    }

    package static func isReadable(_ path: FilePath) -> Bool { DiskAccess.mayRead(path) }

    package static func isExecutable(_ path: FilePath) -> Bool {
        guard case .success(let status) = status(path), status.kind == .file else { return false }
        return DiskAccess.mayExecute(path)
    }

    /// The names in a folder, sorted by their bytes, without `.` and `..`.
    package static func names(in folder: FilePath) -> Result<[FilePath], Problem> {
        do { return .success(try DiskAccess.names(in: folder)) } catch { return .failure(Problem(error)) }
    }

    /// The contents of a regular file of at most `limit` bytes.
    ///
    /// - Parameter allowingPipes: whether it may also be a pipe, such as a shell's `<(…)`.
    package static func contents(
        of path: FilePath, atMost limit: Int, allowingPipes: Bool = false
    ) -> Result<[UInt8], Problem> {
        do {
            let status = try DiskAccess.status(of: path, followingLinks: true)
            guard status.kind == .file || status.kind == .pipe && allowingPipes else { return .failure(.notAFile) }
            if status.kind == .file, status.size > limit { return .failure(.tooLarge) }
            let bytes = try DiskAccess.contents(of: path, atMost: limit + 1)
            return bytes.count > limit ? .failure(.tooLarge) : .success(bytes)
        } catch {
            return .failure(Problem(error))
        }
    }
}
