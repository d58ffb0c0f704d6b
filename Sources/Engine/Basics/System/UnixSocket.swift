import Glibc

/// Sockets with a name in the file system.
package enum UnixSocket {
    /// Maximum bytes of a path; the system's addresses have room for this and a NUL.
    package static let maxPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    /// Clients that may wait to be accepted.
    private static let backlog: Int32 = 64

    /// Listens on a socket that only this user can open, in place of one that a killed program left.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func listen(_ path: FilePath) throws(DiskAccess.Fault) -> Int32 {
        removeIfStale(path)
        return try unsafe open(path) { descriptor, address, size in
            // Nobody can connect between `bind` and `listen`.
            guard unsafe bind(descriptor, address, size) == 0, unsafe chmod(path.cString, 0o600) == 0 else { return -1 }
            return Glibc.listen(descriptor, backlog)
        }
    }

    /// Connects to a program that listens.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func connect(_ path: FilePath) throws(DiskAccess.Fault) -> Int32 {
        try unsafe open(path) { unsafe Glibc.connect($0, $1, $2) }
    }

    /// Removes a socket on which no program listens any more.
    package static func removeIfStale(_ path: FilePath) {
        var info = stat()
        guard unsafe lstat(path.cString, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK else { return }
        do throws(DiskAccess.Fault) { close(try connect(path)) } catch {
            if error.code == ECONNREFUSED { _ = unsafe unlink(path.cString) }
        }
    }

    /// What to say of a path that has too many bytes.
    package static func lengthProblem(_ path: FilePath) -> String {
        "the path has \(path.bytes.count) bytes, and a socket's may have \(maxPathBytes)"
    }

    private static func open(
        _ path: FilePath, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(DiskAccess.Fault) -> Int32 {
        guard path.bytes.count <= maxPathBytes else { throw DiskAccess.Fault(code: ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw DiskAccess.Fault(code: errno) }
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let fault = DiskAccess.Fault(code: errno)
            close(descriptor)
            throw fault
        }
        return descriptor
    }
}
