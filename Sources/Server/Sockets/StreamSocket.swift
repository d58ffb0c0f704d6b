import Glibc
import WhisperEngine

/// A connected stream socket, read and written by one thread, which waits no longer than it says.
///
/// Invariant: the descriptor is open until `deinit`; `shutDown` may be called on any thread.
final class StreamSocket: Sendable {
    /// What a wait for bytes ended with.
    enum Readiness {
        case readable, timedOut
        /// The peer has closed the connection, or it was lost.
        case closed
    }

    /// `POLLRDHUP`, which is declared only for GNU sources.
    private static let pollHalfClosed: Int16 = 0x2000

    private let descriptor: Int32
    /// The peer's address without its port; empty for a Unix socket.
    let peer: String

    /// Takes over a descriptor.
    init(_ descriptor: Int32, peer: String) {
        self.descriptor = descriptor
        self.peer = peer
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var one: Int32 = 1
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Waits for bytes.
    func wait(milliseconds: Int) -> Readiness {
        let found = poll(Int16(POLLIN) | Self.pollHalfClosed, milliseconds: milliseconds)
        if found & Int16(POLLERR | POLLNVAL) != 0 { return .closed }
        if found & Int16(POLLIN) != 0 { return .readable }
        return found == 0 ? .timedOut : .closed
    }

    /// Whether the peer is known to have closed its side, after waiting that long for it.
    func isClosed(within milliseconds: Int) -> Bool {
        poll(Self.pollHalfClosed, milliseconds: milliseconds) != 0
    }

    /// Reads what has arrived, at most `count` bytes; empty at the end.
    func read(atMost count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let read = unsafe recv(descriptor, buffer.baseAddress, count, 0)
            initialized = max(0, read)
        }
    }

    /// Writes all bytes.
    ///
    /// - Returns: whether the peer took them; `false` if it took none for `milliseconds`, or is gone.
    func write(_ bytes: [UInt8], milliseconds: Int) -> Bool {
        var position = 0
        while position < bytes.count {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe send(
                    descriptor, $0.baseAddress! + position, bytes.count - position, Int32(MSG_NOSIGNAL))
            }
            if written > 0 {
                position += written
            } else if errno == EAGAIN || errno == EINTR {
                guard poll(Int16(POLLOUT), milliseconds: milliseconds) & Int16(POLLOUT) != 0 else { return false }
            } else {
                return false
            }
        }
        return true
    }

    /// Says that nothing more will be written, and discards what arrives until the peer has read that, too. Closing the
    /// connection before the peer has sent everything would reset it, and the peer lose what it has not read.
    func finish(milliseconds: Int) {
        shutdown(descriptor, Int32(SHUT_WR))
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end, wait(milliseconds: milliseconds) == .readable, !read(atMost: 1 << 16).isEmpty {
        }
    }

    /// Ends the conversation: a thread that waits returns.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func poll(_ events: Int16, milliseconds: Int) -> Int16 {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        let count = unsafe Glibc.poll(&request, 1, Int32(milliseconds))
        return count > 0 ? request.revents : 0
    }
}

/// A socket that accepts connections.
///
/// Invariant: the descriptor is open until `deinit`.
final class ListeningSocket: Sendable {
    struct ListenError: Error {
        let reason: String
    }

    private static let backlog: Int32 = 64

    private let descriptor: Int32
    private let path: FilePath?

    /// Listens on a TCP port; 0 chooses a free one.
    init(host: String, port: Int) throws(ListenError) {
        let isSix = host.contains(":")
        descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        path = nil
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if isSix { _ = unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size) }
        guard let bytes = IPAddress.bytes(of: host), bytes.count == (isSix ? 16 : 4) else {
            throw ListenError(reason: "not an IP address")
        }
        var status: Int32
        if isSix {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            status = Self.bound(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            status = Self.bound(descriptor, &address)
        }
        guard status == 0, listen(descriptor, Self.backlog) == 0 else {
            throw ListenError(reason: Self.reason(errno))
        }
        configure()
    }

    /// Listens on a Unix socket, which only this user can open. One that a killed server left is replaced.
    init(path: FilePath) throws(ListenError) {
        do throws(DiskAccess.Fault) { descriptor = try UnixSocket.listen(path) } catch {
            throw ListenError(
                reason: error.code == ENAMETOOLONG ? UnixSocket.lengthProblem(path) : Self.reason(error.code))
        }
        self.path = path
        configure()
    }

    deinit { close(descriptor) }

    /// Removes the name of a Unix socket.
    func removeName() { if let path { _ = unsafe unlink(path.cString) } }

    /// The port, after one was chosen.
    var port: Int {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
        }
        // At the same place for both kinds of addresses.
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    /// Waits for a connection; `nil` if there was none, or it was lost at once.
    func accept(milliseconds: Int) -> StreamSocket? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, Int32(milliseconds)) > 0 else { return nil }
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.accept(descriptor, $0, &size)
            }
        }
        guard accepted >= 0 else {
            // Without descriptors, this would go on without a pause.
            if errno != EAGAIN { usleep(50_000) }
            return nil
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isUnix = address.ss_family == sa_family_t(AF_UNIX)
        if !isUnix {
            _ = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getnameinfo($0, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                }
            }
        }
        return StreamSocket(
            accepted, peer: String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private func configure() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)).lowercased() }

    private static func bound<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
