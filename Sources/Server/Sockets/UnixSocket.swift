import Glibc
import WhisperEngine

/// The names of Unix sockets in the file system.
enum UnixSocket {
    /// Maximum bytes of a path; the system's addresses have room for this and a NUL.
    static let maxPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Removes a socket on which no program listens any more.
    static func removeIfStale(_ path: FilePath) {
        var info = stat()
        guard unsafe lstat(path.cString, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK, !hasListener(path) else {
            return
        }
        unsafe unlink(path.cString)
    }

    private static func hasListener(_ path: FilePath) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.bytes.count <= maxPathBytes else { return true }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 || errno != ECONNREFUSED
    }
}
