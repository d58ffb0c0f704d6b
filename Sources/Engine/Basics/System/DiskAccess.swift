import CSystemCalls
package import Glibc

/// File system calls on `FilePath`s and plain values.
///
/// Invariant: no pointer outlives the call that made it, and each opened descriptor has one owner, which closes it.
/// Calls interrupted by a signal are retried.
package enum DiskAccess {
    /// A failed system call; `code` is its errno.
    package struct Fault: Error, Equatable {
        package let code: Int32

        package init(code: Int32) { self.code = code }
    }

    package struct Status: Hashable, Sendable {
        package enum Kind: Hashable, Sendable { case file, folder, link, pipe, special }
        package let kind: Kind
        package let identity: Identity
        package let size: Int
        package let permissions: UInt32
        /// The number of hard links to the file.
        let links: Int
        package let owner: UInt32
        package let group: UInt32
        /// When the content was last read or, with `DiskAccess.touch`, used; not to be relied on.
        package let accessed: Time
        /// When the content was last written.
        package let modified: Time
        /// When the content, the name or the permissions last changed; no program can set it.
        let changed: Time

        /// Device and inode, which are the same for all names of a file.
        package struct Identity: Hashable, Sendable {
            let device: UInt64
            let inode: UInt64
        }

        package struct Time: Hashable, Sendable {
            package let seconds: Int
            package let nanoseconds: Int

            init(_ time: timespec) {
                seconds = time.tv_sec
                nanoseconds = time.tv_nsec
            }
        }

        init(_ raw: stat) {
            kind =
                switch raw.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                case S_IFIFO: .pipe
                default: .special
                }
            identity = Identity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
            size = max(0, Int(raw.st_size))
            permissions = raw.st_mode & 0o7777
            links = Int(raw.st_nlink)
            owner = raw.st_uid
            group = raw.st_gid
            accessed = Time(raw.st_atim)
            modified = Time(raw.st_mtim)
            changed = Time(raw.st_ctim)
        }

        /// Changes whenever the content is written; derived from size and times, without reading the file.
        package var contentStamp: String {
            "\(size) \(modified.seconds).\(modified.nanoseconds) \(changed.seconds).\(changed.nanoseconds)"
        }
    }

    package static let processID = Int(getpid())
    package static let userID = geteuid()

    // MARK: Queries

    package static func status(of path: FilePath, followingLinks: Bool) throws(Fault) -> Status {
        var raw = stat()
        let name = path.cString
        _ = try checked { unsafe followingLinks ? stat(name, &raw) : lstat(name, &raw) }
        return Status(raw)
    }

    package static func status(of descriptor: Int32) throws(Fault) -> Status {
        var raw = stat()
        _ = try checked { unsafe fstat(descriptor, &raw) }
        return Status(raw)
    }

    /// What a path leads to, following links; `nil` if there is nothing.
    package static func kind(of path: FilePath) throws(Fault) -> Status.Kind? {
        do {
            return try status(of: path, followingLinks: true).kind
        } catch {
            if error == .missing || error == .notFolder { return nil }
            throw error
        }
    }

    /// The bytes that this user may still write to the folder's file system.
    package static func freeBytes(in folder: FilePath) throws(Fault) -> Int {
        var facts = statvfs()
        let name = folder.cString
        _ = try checked { unsafe statvfs(name, &facts) }
        let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }

    /// Whether the folder is on a file server, or in a file system that another program provides.
    package static func isRemote(_ folder: FilePath) throws(Fault) -> Bool {
        let name = folder.cString
        return try checked { unsafe cs_is_remote(name) } == 1
    }

    /// The absolute path with all symbolic links resolved; every component must exist.
    package static func resolved(_ path: FilePath) throws(Fault) -> FilePath {
        guard let resolved = unsafe realpath(path.cString, nil) else { throw Fault(code: errno) }
        defer { unsafe free(resolved) }
        let length = unsafe strlen(resolved)
        return unsafe FilePath(bytes: UnsafeRawBufferPointer(start: resolved, count: length))
    }

    /// Whether the current folder has been deleted.
    static var isCurrentFolderDeleted: Bool {
        do { _ = try resolved(FilePath(".")) } catch { return error == .missing }
        return false
    }

    /// Throws unless files can be created in the folder.
    package static func mayWrite(inFolder path: FilePath) throws(Fault) {
        let name = path.cString
        _ = try checked { unsafe access(name, W_OK | X_OK) }
    }

    package static func mayRead(_ path: FilePath) -> Bool { unsafe access(path.cString, R_OK) == 0 }

    package static func mayExecute(_ path: FilePath) -> Bool { unsafe access(path.cString, X_OK) == 0 }

    /// Names in a folder, without `.` and `..`, sorted by their bytes. From a folder with more than `limit` entries,
    /// returns an arbitrary `limit` of them.
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

    /// The contents of a file or pipe, at most the first `limit` bytes.
    package static func contents(of path: FilePath, atMost limit: Int) throws(Fault) -> [UInt8] {
        let name = path.cString
        let descriptor = try checked { unsafe open(name, O_RDONLY | O_CLOEXEC) }
        defer { _ = Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < limit {
            let count = try checked { unsafe read(descriptor, &buffer, min(buffer.count, limit - bytes.count)) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Up to `count` bytes from byte `position` of a file; fewer if it ends or cannot be read.
    package static func bytes(of descriptor: Int32, at position: Int, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, position + filled)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                filled += got
            }
        }
    }

    /// Whether a process exists. Another user's process counts as running.
    package static func isRunning(process: Int) -> Bool {
        guard let process = Int32(exactly: process), process > 0 else { return false }
        return kill(process, 0) == 0 || errno != ESRCH
    }

    /// The result of a system call that returns a negative number on failure; repeats it after an interruption.
    package static func checked<Number: SignedInteger>(_ call: () -> Number) throws(Fault) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Fault(code: errno) }
        }
    }
}

extension DiskAccess.Fault {
    /// Whether the disk is full, or a quota or file size limit is reached.
    package var isNoSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
    /// Whether the file system does not have what was asked for.
    package var isUnsupported: Bool { [EINVAL, ENOLCK, EOPNOTSUPP, ENOSYS, ENOTTY].contains(code) }
    package static let exists = Self(code: EEXIST)
    package static let missing = Self(code: ENOENT)
    /// The path is a symbolic link.
    package static let link = Self(code: ELOOP)
    package static let notPermitted = Self(code: EACCES)
    package static let noSpace = Self(code: ENOSPC)
    package static let notFolder = Self(code: ENOTDIR)
}
