import CSoup

/// A WebSocket connection in libsoup.
///
/// Invariant: the connection is kept alive by this object, and used only on the event loop.
@safe
@EventLoop
final class SoupSocket {
    enum Message {
        case text(String)
        case binary([UInt8])
    }

    /// Called with each whole message.
    var onMessage: (Message) -> Void = { _ in }
    /// Called with each pong.
    var onPong: () -> Void = {}
    /// Called once, last.
    var onClose: () -> Void = {}

    private let soup: SoupFunctions
    private let socket: OpaquePointer
    private var isClosing = false

    /// - Parameters:
    ///   - maxMessage: bytes of a message; a longer one closes the connection with 1009.
    ///   - pingInterval: in seconds.
    init(_ socket: OpaquePointer, soup: SoupFunctions, maxMessage: Int, pingInterval: Int) {
        self.soup = soup
        unsafe self.socket = socket
        _ = unsafe soup.g_object_ref(UnsafeMutableRawPointer(socket))
        unsafe soup.soup_websocket_connection_set_max_incoming_payload_size(socket, guint64(maxMessage))
        unsafe soup.soup_websocket_connection_set_keepalive_interval(socket, guint(pingInterval))
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        let message: @convention(c) (OpaquePointer?, gint, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
            _, type, bytes, this in
            guard let this = unsafe this, let bytes = unsafe bytes else { return }
            let content = unsafe SoupBytes.array(bytes)
            let socket = unsafe Unmanaged<SoupSocket>.fromOpaque(this).takeUnretainedValue()
            // libsoup has checked that text is UTF-8.
            let isText = UInt32(type) == SOUP_WEBSOCKET_DATA_TEXT.rawValue
            EventLoop.assumeIsolated {
                socket.onMessage(isText ? .text(String(decoding: content, as: UTF8.self)) : .binary(content))
            }
        }
        let pong: @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, _, this in
            guard let this = unsafe this else { return }
            let socket = unsafe Unmanaged<SoupSocket>.fromOpaque(this).takeUnretainedValue()
            EventLoop.assumeIsolated { socket.onPong() }
        }
        let closed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, this in
            guard let this = unsafe this else { return }
            let socket = unsafe Unmanaged<SoupSocket>.fromOpaque(this).takeUnretainedValue()
            EventLoop.assumeIsolated { socket.didClose() }
        }
        let object = unsafe UnsafeMutableRawPointer(socket)
        unsafe SoupSignal.connect(soup, object, "message", unsafeBitCast(message, to: GCallback.self), this)
        unsafe SoupSignal.connect(soup, object, "pong", unsafeBitCast(pong, to: GCallback.self), this)
        unsafe SoupSignal.connect(soup, object, "closed", unsafeBitCast(closed, to: GCallback.self), this)
    }

    isolated deinit { unsafe soup.g_object_unref(UnsafeMutableRawPointer(socket)) }

    private func didClose() {
        onClose()
        // Break the reference cycles: the closures refer to objects that refer to this one.
        onMessage = { _ in }
        onPong = {}
        onClose = {}
    }

    private var isOpen: Bool {
        guard !isClosing else { return false }
        return unsafe soup.soup_websocket_connection_get_state(socket) == SOUP_WEBSOCKET_STATE_OPEN
    }

    func send(_ text: String) {
        // A C string ends at the first NUL; JSON has none.
        if isOpen { unsafe soup.soup_websocket_connection_send_text(socket, text) }
    }

    /// Sends a closing frame after everything sent before. libsoup waits for the answer at most 5 s.
    func close(_ code: Int, _ reason: String) {
        guard isOpen else { return }
        isClosing = true
        var reason = reason
        while reason.utf8.count > 123 { reason.removeLast() }
        unsafe soup.soup_websocket_connection_close(socket, gushort(code), reason)
    }
}
