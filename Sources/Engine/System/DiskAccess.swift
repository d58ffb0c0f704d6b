import Glibc

/// The system calls that writing, locking and clearing files needs, on `FilePath`s and plain values.
///
/// Invariant: no pointer leaves the call that made it; each descriptor is closed by who opened it. Calls that a signal
/// interrupted are made again.
package enum DiskAccess {
    /// A system call that failed; `code` is its errno.
    package struct Fault: Error, Equatable {
        package let code: Int32

        package init(code: Int32) { self.code = code }
    }

    struct Status: Hashable {
        enum Kind: Hashable { case file, folder, link, special }
        let kind: Kind
        let device: UInt64
        let inode: UInt64
        let size: Int
        let permissions: UInt32
        let owner: UInt32
        let group: UInt32

        init(_ raw: stat) {
            kind =
                switch raw.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .special
                }
            device = UInt64(raw.st_dev)
            inode = UInt64(raw.st_ino)
            size = max(0, Int(raw.st_size))
            permissions = raw.st_mode & 0o7777
            owner = raw.st_uid
            group = raw.st_gid
        }

        func isSameFile(as other: Status) -> Bool { device == other.device && inode == other.inode }
    }

    static let processID = Int(getpid())
    static let userID = geteuid()

    // MARK: Asking

    static func status(of path: FilePath, followingLinks: Bool) throws(Fault) -> Status {
        var raw = stat()
        let name = path.cString
        _ = try checked { unsafe followingLinks ? stat(name, &raw) : lstat(name, &raw) }
        return Status(raw)
    }

    static func status(of descriptor: Int32) throws(Fault) -> Status {
        var raw = stat()
        _ = try checked { unsafe fstat(descriptor, &raw) }
        return Status(raw)
    }

    /// The absolute path without links; everything on the way must exist.
    static func resolved(_ path: FilePath) throws(Fault) -> FilePath {
        guard let found = unsafe realpath(path.cString, nil) else { throw Fault(code: errno) }
        defer { unsafe free(found) }
        let length = unsafe strlen(found)
        return unsafe FilePath(bytes: UnsafeRawBufferPointer(start: found, count: length))
    }

    static func mayWrite(inFolder path: FilePath) throws(Fault) {
        let name = path.cString
        _ = try checked { unsafe access(name, W_OK | X_OK) }
    }

    /// Names in a folder, without `.` and `..`, sorted by their bytes; of a larger folder, `limit` arbitrary ones.
    package static func names(in folder: FilePath, limit: Int = .max) throws(Fault) -> [FilePath] {
        guard let stream = unsafe opendir(folder.cString) else { throw Fault(code: errno) }
        defer { unsafe _ = closedir(stream) }
        var names: [FilePath] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe FilePath(bytes: $0) }
            if name != FilePath("."), name != FilePath("..") { names.append(name) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Where a symbolic link points; `nil` if the path is not a link.
    package static func linkTarget(of path: FilePath) -> FilePath? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path.cString, &target, target.count)
        return count > 0 ? FilePath(bytes: target.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }

    /// False only when the process is surely gone (another user's counts as there).
    static func isRunning(process: Int) -> Bool {
        guard let process = Int32(exactly: process), process > 0 else { return false }
        return kill(process, 0) == 0 || errno != ESRCH
    }

    // MARK: Changing

    /// Creates a file that did not exist, follows no link, and opens it for writing. Mode less umask.
    static func create(_ path: FilePath, mode: UInt32) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
    }

    /// Opens a lock file, creating it where needed; for reading only where it is another user's.
    static func openLock(_ path: FilePath, mode: UInt32 = 0o666) throws(Fault) -> Int32 {
        let name = path.cString
        let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        do {
            return try checked { unsafe open(name, O_RDWR | O_CREAT | flags, mode) }
        } catch {
            guard error.code == EACCES else { throw error }
            return try checked { unsafe open(name, O_RDONLY | flags) }
        }
    }

    static func openForWriting(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
    }

    static func openExisting(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
    }

    /// Takes the file's exclusive lock without waiting, freed with the last descriptor of this opening, by the kernel
    /// if need be. True also on file systems that know no locks: there is nothing to be had.
    static func tryLock(_ descriptor: Int32) throws(Fault) -> Bool {
        do {
            _ = try checked { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            switch error.code {
            case EWOULDBLOCK: return false
            case ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL: return true
            default: throw error
            }
        }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Fault) {
        var done = 0
        while done < bytes.count {
            let count = try checked {
                unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            }
            guard count > 0 else { throw Fault(code: EIO) }
            done += count
        }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32, at position: Int) throws(Fault) {
        var done = 0
        while done < bytes.count {
            let count = try checked {
                unsafe bytes.withUnsafeBytes {
                    unsafe pwrite(descriptor, $0.baseAddress! + done, $0.count - done, position + done)
                }
            }
            guard count > 0 else { throw Fault(code: EIO) }
            done += count
        }
    }

    /// The first bytes of a file, at most `count`.
    static func prefix(of descriptor: Int32, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return found > 0 ? Array(bytes.prefix(found)) : []
    }

    static func empty(_ descriptor: Int32) throws(Fault) {
        _ = try checked { ftruncate(descriptor, 0) }
    }

    static func setOwner(of descriptor: Int32, to owner: UInt32, group: UInt32) throws(Fault) {
        _ = try checked { fchown(descriptor, owner, group) }
    }

    static func setPermissions(of descriptor: Int32, to permissions: UInt32) throws(Fault) {
        _ = try checked { fchmod(descriptor, permissions) }
    }

    static func synchronize(_ descriptor: Int32) throws(Fault) {
        _ = try checked { fsync(descriptor) }
    }

    /// Makes a rename in the folder last; file systems without that are left alone.
    static func synchronize(folder: FilePath) throws(Fault) {
        let name = folder.cString
        let descriptor: Int32
        do {
            descriptor = try checked { unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        } catch {
            if error.code == EACCES { return }  // may be written in but not be read
            throw error
        }
        defer { _ = Glibc.close(descriptor) }
        do { try synchronize(descriptor) } catch  where [EINVAL, EROFS, EOPNOTSUPP].contains(error.code) {}
    }

    /// Closes once: after an interruption the descriptor is gone all the same.
    static func close(_ descriptor: Int32) throws(Fault) {
        if Glibc.close(descriptor) != 0, errno != EINTR { throw Fault(code: errno) }
    }

    static func rename(_ old: FilePath, to new: FilePath) throws(Fault) {
        let (old, new) = (old.cString, new.cString)
        _ = try checked { unsafe Glibc.rename(old, new) }
    }

    static func remove(file: FilePath) throws(Fault) {
        let name = file.cString
        _ = try checked { unsafe unlink(name) }
    }

    static func createFolder(_ path: FilePath, mode: UInt32 = 0o777) throws(Fault) {
        let name = path.cString
        _ = try checked { unsafe mkdir(name, mode) }
    }

    /// Removes a folder if it exists and is empty.
    package static func remove(emptyFolder: FilePath) {
        unsafe _ = rmdir(emptyFolder.cString)
    }

    // MARK: Helpers

    private static func checked<Number: SignedInteger>(_ call: () -> Number) throws(Fault) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Fault(code: errno) }
        }
    }
}

extension DiskAccess.Fault {
    static let exists = Self(code: EEXIST)
    static let missing = Self(code: ENOENT)
    static let notFolder = Self(code: ENOTDIR)
}
