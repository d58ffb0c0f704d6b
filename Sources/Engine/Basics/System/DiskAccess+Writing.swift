import Glibc

/// Creating, locking, writing and removing files.
extension DiskAccess {
    /// Creates a file and opens it for writing, or for reading only; fails if the name exists, even as a symbolic link.
    ///
    /// - Parameter mode: permissions, reduced by the umask.
    package static func create(_ path: FilePath, mode: UInt32, isWritable: Bool = true) throws(Fault) -> Int32 {
        let name = path.cString
        let flags = (isWritable ? O_WRONLY : O_RDONLY) | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try checked { unsafe open(name, flags, mode) }
    }

    /// Opens an existing lock file; read-only if it belongs to another user.
    static func openLock(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        do {
            return try checked { unsafe open(name, O_RDWR | flags) }
        } catch {
            guard error.code == EACCES else { throw error }
            return try checked { unsafe open(name, O_RDONLY | flags) }
        }
    }

    /// Opens a file for writing, creating it if needed; fails on a symbolic link.
    package static func openOrCreate(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o666) }
    }

    /// Opens a file for writing at its end, creating it if needed.
    package static func openForAppending(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666) }
    }

    /// - Parameter isReadable: whether the file is also opened for reading, as a mapping needs.
    package static func openForWriting(_ path: FilePath, isReadable: Bool = false) throws(Fault) -> Int32 {
        let name = path.cString
        let access = isReadable ? O_RDWR : O_WRONLY
        return try checked { unsafe open(name, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
    }

    package static func openExisting(_ path: FilePath) throws(Fault) -> Int32 {
        let name = path.cString
        return try checked { unsafe open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
    }

    /// Acquires the file's exclusive lock without waiting. The kernel releases it when the last descriptor of this
    /// opening is closed, even after a crash.
    ///
    /// - Returns: false if another process holds the lock; true on file systems that do not support locks.
    package static func tryLock(_ descriptor: Int32) throws(Fault) -> Bool {
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

    /// Writes all of `bytes` at the descriptor's position.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Fault) {
        var done = 0
        while done < bytes.count {
            let count = try checked {
                unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            }
            guard count > 0 else { throw Fault.noSpace }
            done += count
        }
    }

    /// Writes all of `numbers`, little-endian, from byte `position` of the file.
    package static func write(
        _ numbers: [some FixedWidthInteger], to descriptor: Int32, at position: Int
    ) throws(Fault) {
        #if _endian(big)
            let numbers = numbers.map(\.littleEndian)
        #endif
        let size = unsafe numbers.withUnsafeBytes { $0.count }
        var done = 0
        while done < size {
            let count = try checked {
                unsafe numbers.withUnsafeBytes {
                    unsafe pwrite(descriptor, $0.baseAddress! + done, size - done, position + done)
                }
            }
            guard count > 0 else { throw .noSpace }
            done += count
        }
    }

    /// The first bytes of a file, at most `count`; empty if it cannot be read.
    package static func prefix(of descriptor: Int32, count: Int) -> [UInt8] {
        bytes(of: descriptor, at: 0, count: count)
    }

    /// Truncates the file to zero bytes.
    package static func empty(_ descriptor: Int32) throws(Fault) {
        _ = try checked { ftruncate(descriptor, 0) }
    }

    /// Reserves space on the disk for a range of the file, which becomes longer if necessary, so that writing there
    /// cannot fail.
    package static func allocate(_ range: Range<Int>, of descriptor: Int32) throws(Fault) {
        var code: Int32
        repeat { code = posix_fallocate(descriptor, range.lowerBound, range.count) } while code == EINTR
        if code != 0 { throw Fault(code: code) }
    }

    /// Sets a file's time of access to now.
    package static func touch(_ descriptor: Int32) throws(Fault) {
        try setTimes(descriptor, accessed: now, modified: timespec(tv_sec: 0, tv_nsec: omitted))
    }

    /// Sets a file's time of modification, in seconds since 1970.
    package static func setModified(_ descriptor: Int32, _ seconds: Int) throws(Fault) {
        try setTimes(descriptor, accessed: now, modified: timespec(tv_sec: seconds, tv_nsec: 0))
    }

    private static func setTimes(_ descriptor: Int32, accessed: timespec, modified: timespec) throws(Fault) {
        let times = [accessed, modified]
        _ = try checked { unsafe futimens(descriptor, times) }
    }

    /// UTIME_NOW and UTIME_OMIT, which Swift does not import.
    private static var now: timespec { timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff) }
    private static let omitted = 0x3fff_fffe

    package static func setOwner(of descriptor: Int32, to owner: UInt32, group: UInt32) throws(Fault) {
        _ = try checked { fchown(descriptor, owner, group) }
    }

    package static func setPermissions(of descriptor: Int32, to permissions: UInt32) throws(Fault) {
        _ = try checked { fchmod(descriptor, permissions) }
    }

    package static func synchronize(_ descriptor: Int32) throws(Fault) {
        _ = try checked { fsync(descriptor) }
    }

    /// Makes a rename in the folder durable, on file systems that support this.
    package static func synchronize(folder: FilePath) throws(Fault) {
        let name = folder.cString
        let descriptor: Int32
        do {
            descriptor = try checked { unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        } catch {
            if error.code == EACCES { return }  // writable but not readable
            throw error
        }
        defer { _ = Glibc.close(descriptor) }
        do { try synchronize(descriptor) } catch  where [EINVAL, EROFS, EOPNOTSUPP].contains(error.code) {}
    }

    /// Closes a descriptor; not retried after an interruption, because Linux has released the descriptor by then.
    package static func close(_ descriptor: Int32) throws(Fault) {
        if Glibc.close(descriptor) != 0, errno != EINTR { throw Fault(code: errno) }
    }

    package static func rename(_ old: FilePath, to new: FilePath) throws(Fault) {
        let (old, new) = (old.cString, new.cString)
        _ = try checked { unsafe Glibc.rename(old, new) }
    }

    package static func remove(file: FilePath) throws(Fault) {
        let name = file.cString
        _ = try checked { unsafe unlink(name) }
    }

    /// Removes a file, a symbolic link (not what it points to), or a folder with everything in it.
    package static func remove(tree path: FilePath) throws(Fault) {
        guard try status(of: path, followingLinks: false).kind == .folder else { return try remove(file: path) }
        for name in try names(in: path) { try remove(tree: path.appending(name)) }
        let folder = path.cString
        _ = try checked { unsafe rmdir(folder) }
    }

    package static func createFolder(_ path: FilePath, mode: UInt32 = 0o777) throws(Fault) {
        let name = path.cString
        _ = try checked { unsafe mkdir(name, mode) }
    }

    /// Removes a folder if it exists and is empty.
    package static func remove(emptyFolder: FilePath) {
        unsafe _ = rmdir(emptyFolder.cString)
    }
}
