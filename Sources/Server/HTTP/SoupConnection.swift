import CSoup
import Glibc

/// An accepted connection below libsoup, which has neither timeouts nor a way to notice that a waiting client has
/// disconnected.
///
/// Invariant: the descriptor is used only while the stream, which this object keeps alive, is not closed.
@safe
@EventLoop
final class SoupConnection {
    /// The peer of a Unix socket.
    static let localPeer = "local"

    /// The client's address without its port, or `localPeer`.
    let peer: String
    var isTLS: Bool { unsafe secure != nil }
    /// Checks what libsoup is to read.
    let filter: SoupFilter

    /// `POLLRDHUP`, which is declared only for GNU sources.
    private static let pollHalfClosed: Int32 = 0x2000

    private let soup: SoupFunctions
    private let descriptor: Int32
    /// What libsoup reads and writes.
    let stream: UnsafeMutablePointer<GIOStream>
    let localAddress: UnsafeMutablePointer<GSocketAddress>
    /// TLS on top of the connection, which `stream` keeps alive.
    private let secure: UnsafeMutablePointer<GIOStream>?

    /// - Parameter secure: TLS on top of the connection.
    init(
        _ connection: UnsafeMutablePointer<GSocketConnection>, secure: UnsafeMutablePointer<GIOStream>?,
        filter: SoupFilter, peer: String, local: UnsafeMutablePointer<GSocketAddress>, soup: SoupFunctions
    ) {
        self.soup = soup
        self.peer = peer
        self.filter = filter
        unsafe localAddress = local
        _ = unsafe soup.g_object_ref(UnsafeMutableRawPointer(local))
        unsafe self.secure = secure
        let socket = unsafe soup.g_socket_connection_get_socket(connection)!
        descriptor = unsafe soup.g_socket_get_fd(socket)
        let plain = unsafe UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
        unsafe stream = filter.wrap(secure ?? plain, socket: socket, soup)
    }

    isolated deinit {
        unsafe soup.g_object_unref(UnsafeMutableRawPointer(localAddress))
        unsafe soup.g_object_unref(UnsafeMutableRawPointer(stream))
    }

    var isClosed: Bool { unsafe soup.g_io_stream_is_closed(stream) != 0 }

    /// Whether the TLS handshake is over, if the connection needs one.
    var isSecured: Bool {
        guard let secure = unsafe secure else { return true }
        let connection = unsafe UnsafeMutableRawPointer(secure).assumingMemoryBound(to: GTlsConnection.self)
        return unsafe soup.g_tls_connection_get_protocol_version(connection) != G_TLS_PROTOCOL_VERSION_UNKNOWN
    }

    /// Whether the client has closed the connection in both directions, or it was reset.
    var isLost: Bool { state(POLLIN) & (POLLHUP | POLLERR) != 0 }

    /// Whether the client will send nothing more; it may still be reading.
    var isHalfClosed: Bool { state(Self.pollHalfClosed) & Self.pollHalfClosed != 0 }

    /// Whether the socket's buffer has accepted everything that was written to the client.
    var isWritable: Bool { state(POLLOUT) & POLLOUT != 0 }

    private func state(_ events: Int32) -> Int32 {
        guard !isClosed else { return POLLHUP }
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe poll(&request, 1, 0) > 0 ? Int32(request.revents) : 0
    }

    /// Bypasses libsoup, which must not have written part of a response, and writes bytes directly. What does not fit
    /// into the socket's buffer is dropped.
    func write(_ text: String) {
        guard !isClosed else { return }
        let output = unsafe soup.g_io_stream_get_output_stream(stream)
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe soup.g_pollable_output_stream_write_nonblocking(
                OpaquePointer(output), $0.baseAddress, gsize($0.count), nil, nil)
        }
    }

    /// Bypasses libsoup to send a response, and reads nothing more. The caller ends the connection when the client has
    /// had time to read the response: closing it before the client has sent everything would reset it.
    func reject(_ response: Response) {
        filter.stop()
        guard case .bytes(let body) = response.body else { return }
        let phrase = unsafe soup.soup_status_get_phrase(guint(response.status)).map { unsafe String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(response.status) \(phrase)\r\n"
        for (name, value) in response.headers.fields { head += "\(name): \(value)\r\n" }
        write(
            head + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n" + String(decoding: body, as: UTF8.self))
        if !isTLS { finishWriting() }
    }

    /// Discards everything that libsoup writes from now on.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the connection.
    func close() {
        // After this nothing is left to send, so that closing does not wait for the client.
        shutDown()
        _ = unsafe soup.g_io_stream_close(stream, nil, nil)
    }

    /// Ends the connection; libsoup then reads its end and closes it.
    func shutDown() {
        guard !isClosed else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
