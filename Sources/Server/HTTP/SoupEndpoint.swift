import CSoup
import Glibc
import WhisperEngine

/// libsoup's server with our own accept loop, which keeps track of every connection.
///
/// Invariant: lives as long as the process, because libsoup's callbacks refer to it.
@safe
@EventLoop
final class SoupEndpoint {
    /// Events on the server's connections.
    struct Events {
        /// A connection was accepted; `false` refuses it.
        var accepted: (SoupConnection) -> Bool
        /// A client broke the rules of the protocol; nothing more is read from it.
        var violation: (SoupConnection, FramingValidator.Violation) -> Void
        /// The headers of a request have been read.
        var headers: (SoupExchange) -> Void
        /// The body of a request has been read, unless the response was sent before.
        var body: (SoupExchange) -> Void
        /// A WebSocket connection is open.
        var webSocket: (SoupExchange, SoupSocket) -> Void
    }

    /// Why the server cannot listen.
    struct ListenError: Error, Equatable {
        let reason: String
    }

    /// In seconds.
    private static let pingInterval = 20
    /// Connections that may wait to be accepted.
    private static let backlog: gint = 128

    private let soup: SoupFunctions
    private let server: UnsafeMutablePointer<SoupServer>
    private let service: UnsafeMutablePointer<GSocketService>
    private let events: Events
    /// Bytes of a WebSocket message by path.
    private let maxMessages: [String: Int]
    private var socketPath: FilePath?
    private var isListening = true
    private var isPaused = false
    private var certificate: UnsafeMutablePointer<GTlsCertificate>?
    /// By the address object of the client, which libsoup gives back with each message.
    private var connections: [UInt: SoupConnection] = [:]
    private let handshakes = HandshakeQueue()
    /// By message.
    private var exchanges: [UInt: SoupExchange] = [:]

    /// - Parameters:
    ///   - webSockets: paths that accept WebSocket connections.
    ///   - below: other paths below these, which libsoup would otherwise take for WebSockets, too.
    ///   - maxMessage: bytes of a WebSocket message, unless a path has its own limit.
    init(_ soup: SoupFunctions, webSockets: [WebSocketRoute], below: Set<String>, maxMessage: Int, events: Events) {
        self.soup = soup
        self.events = events
        maxMessages = Dictionary(uniqueKeysWithValues: webSockets.map { ($0.path, $0.maxMessage ?? maxMessage) })
        unsafe server = Self.makeServer(soup)
        // GLib aborts the program rather than return nothing.
        unsafe service = soup.g_socket_service_new()!
        unsafe soup.g_socket_listener_set_backlog(
            UnsafeMutableRawPointer(service).assumingMemoryBound(to: GSocketListener.self), Self.backlog)
        // Compressed messages could expand without bound.
        unsafe soup.soup_server_remove_websocket_extension(server, soup.soup_websocket_extension_deflate_get_type())
        keepConnections()
        let this = unsafe Unmanaged.passRetained(self).toOpaque()
        // Handlers of a path replace those of the paths above it.
        for path in ["/"] + webSockets.map(\.path) + below {
            unsafe soup.soup_server_add_early_handler(
                server, path,
                { _, message, _, _, this in
                    unsafe SoupEndpoint.from(this) { unsafe $0.gotHeaders(message) }
                }, this, nil)
        }
        for path in ["/"] + below {
            unsafe soup.soup_server_add_handler(
                server, path,
                { _, message, _, _, this in unsafe SoupEndpoint.from(this) { unsafe $0.gotBody(message) } }, this, nil)
        }
        for route in webSockets {
            // libsoup copies the list. An empty one would reject clients that offer anything.
            var protocols = unsafe route.protocols.map { unsafe strdup($0) } + [nil]
            defer { for index in unsafe protocols.indices { unsafe free(protocols[index]) } }
            unsafe protocols.withUnsafeMutableBufferPointer { list in
                unsafe soup.soup_server_add_websocket_handler(
                    server, route.path, nil, route.protocols.isEmpty ? nil : list.baseAddress,
                    { _, message, _, socket, this in
                        unsafe SoupEndpoint.from(this) { unsafe $0.opened(message, socket) }
                    }, this, nil)
            }
        }
        let incoming:
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<GSocketConnection>?, OpaquePointer?, UnsafeMutableRawPointer?
            ) -> gboolean = { _, connection, _, this in
                unsafe SoupEndpoint.from(this) { unsafe $0.accept(connection) }
                return 1
            }
        unsafe SoupSignal.connect(
            soup, UnsafeMutableRawPointer(service), "incoming", unsafeBitCast(incoming, to: GCallback.self), this)
    }

    private nonisolated static func from(_ this: UnsafeMutableRawPointer?, _ body: @EventLoop (SoupEndpoint) -> Void) {
        guard let this = unsafe this else { return }
        let server = unsafe Unmanaged<SoupEndpoint>.fromOpaque(this).takeUnretainedValue()
        EventLoop.assumeIsolated { body(server) }
    }

    /// A server that does not decode paths: we decode them, and libsoup would do it a second time.
    private static func makeServer(_ soup: SoupFunctions) -> UnsafeMutablePointer<SoupServer> {
        let object = unsafe SoupObject.make(soup.soup_server_get_type(), [("raw-paths", .boolean(true))], soup)
        return unsafe object.assumingMemoryBound(to: SoupServer.self)
    }

    /// Makes libsoup keep connections open after a response, which it does only while it listens somewhere itself: on a
    /// socket whose name is removed at once, so that no client can connect to it. If that fails, every request needs a
    /// new connection.
    private func keepConnections() {
        for folder in ScratchFile.privateFolders {
            var template = folder.appending("whisper-local-XXXXXX").cString
            guard unsafe mkdtemp(&template) != nil else { continue }
            let made = FilePath(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
            let path = made.appending("socket")
            let isShort = path.bytes.count <= UnixSocket.maxPathBytes
            defer {
                unsafe unlink(path.cString)
                unsafe rmdir(made.cString)
            }
            guard isShort, let address = unsafe soup.g_unix_socket_address_new(path.cString) else { continue }
            defer { unsafe soup.g_object_unref(address) }
            let options = SoupServerListenOptions(rawValue: 0)
            if unsafe soup.soup_server_listen(server, address, options, nil) != 0 { return }
        }
    }

    // MARK: - Listening

    /// Listens on an address of this machine.
    ///
    /// - Parameter port: 0 chooses a free one.
    /// - Returns: the port.
    func listen(host: String, port: Int) throws(ListenError) -> Int {
        guard let address = unsafe soup.g_inet_socket_address_new_from_string(host, guint(port)) else {
            throw ListenError(reason: "not an IP address: \(host)")
        }
        let effective = try unsafe listen(address)
        defer { unsafe soup.g_object_unref(effective) }
        return Int(
            unsafe soup.g_inet_socket_address_get_port(
                UnsafeMutableRawPointer(effective).assumingMemoryBound(to: GInetSocketAddress.self)))
    }

    /// Listens on a Unix socket, which only this user can open. One that a killed server left is replaced.
    func listen(path: FilePath) throws(ListenError) {
        guard path.bytes.count <= UnixSocket.maxPathBytes else {
            throw ListenError(reason: UnixSocket.lengthProblem(path))
        }
        UnixSocket.removeIfStale(path)
        guard let address = unsafe soup.g_unix_socket_address_new(path.cString) else {
            throw ListenError(reason: "not a path for a socket")
        }
        let mask = umask(0o177)
        defer { umask(mask) }
        unsafe soup.g_object_unref(try listen(address))
        socketPath = path
    }

    private func listen(_ address: UnsafeMutablePointer<GSocketAddress>) throws(ListenError)
        -> UnsafeMutablePointer<GSocketAddress>
    {
        defer { unsafe soup.g_object_unref(address) }
        var effective: UnsafeMutablePointer<GSocketAddress>?
        var error: UnsafeMutablePointer<GError>?
        let listener = unsafe UnsafeMutableRawPointer(service).assumingMemoryBound(to: GSocketListener.self)
        let isListening = unsafe soup.g_socket_listener_add_address(
            listener, address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, nil, &effective, &error)
        guard isListening != 0, let effective = unsafe effective else { throw unsafe failure(&error) }
        return unsafe effective
    }

    private func failure(_ error: inout UnsafeMutablePointer<GError>?) -> ListenError {
        defer { unsafe soup.g_clear_error(&error) }
        return ListenError(reason: unsafe error.map { unsafe String(cString: $0.pointee.message) } ?? "unknown")
    }

    /// Encrypts all connections that are accepted from now on.
    func useCertificate(_ certificate: FilePath, key: FilePath) throws(ListenError) {
        var error: UnsafeMutablePointer<GError>?
        let loaded = unsafe soup.g_tls_certificate_new_from_files(certificate.cString, key.cString, &error)
        guard let loaded = unsafe loaded else { throw unsafe failure(&error) }
        unsafe self.certificate = loaded
    }

    /// Stops accepting connections while descriptors are scarce: GLib would try again and again, without a pause. The
    /// clients wait in the system's queue.
    ///
    /// - Returns: whether it pauses now.
    func pauseIfScarce(_ descriptors: Descriptors) -> Bool {
        guard isListening, descriptors.areScarce != isPaused else { return isPaused }
        isPaused.toggle()
        if isPaused { unsafe soup.g_socket_service_stop(service) } else { unsafe soup.g_socket_service_start(service) }
        return isPaused
    }

    /// Accepts no more connections.
    func stopListening() {
        isListening = false
        unsafe soup.g_socket_service_stop(service)
        unsafe soup.g_socket_listener_close(
            UnsafeMutableRawPointer(service).assumingMemoryBound(to: GSocketListener.self))
        if let path = socketPath { unsafe unlink(path.cString) }
        socketPath = nil
    }

    /// The connections that libsoup considers open.
    var openConnections: [SoupConnection] { connections.values.filter { !$0.isClosed } }

    /// Ends TLS handshakes that take too long.
    func sweep(at now: ContinuousClock.Instant) { handshakes.sweep(at: now) }

    /// Releases a connection. What is left of its request is over.
    func forget(_ connection: SoupConnection) {
        handshakes.finish(connection)
        for (message, exchange) in exchanges where exchange.connection === connection { finish(message) }
        for (address, known) in connections where known === connection {
            connections[address] = nil
            unsafe soup.g_object_unref(UnsafeMutableRawPointer(bitPattern: address))
        }
    }

    // MARK: - Callbacks

    private func accept(_ pointer: UnsafeMutablePointer<GSocketConnection>?) {
        guard let pointer = unsafe pointer,
            let address = unsafe soup.g_socket_connection_get_remote_address(pointer, nil),
            let local = unsafe soup.g_socket_connection_get_local_address(pointer, nil)
        else { return }
        defer { unsafe soup.g_object_unref(local) }
        var secure: UnsafeMutablePointer<GIOStream>?
        if let certificate = unsafe certificate {
            unsafe secure = secured(pointer, certificate)
            guard unsafe secure != nil else {
                unsafe soup.g_object_unref(address)
                return
            }
        }
        defer { if let secure = unsafe secure { unsafe soup.g_object_unref(UnsafeMutableRawPointer(secure)) } }
        let filter = SoupFilter(FramingValidator())
        let connection = unsafe SoupConnection(
            pointer, secure: secure, filter: filter, peer: peer(address), local: local, soup: soup)
        filter.onViolation = { [events, weak connection] violation in
            if let connection { events.violation(connection, violation) }
        }
        filter.onIdleEnd = { [weak connection] in connection?.finishWriting() }
        guard events.accepted(connection) else {
            unsafe soup.g_object_unref(address)
            return
        }
        let key = UInt(bitPattern: address)
        connections[key] = connection
        if unsafe secure == nil { return serve(connection, key) }
        filter.onRead = { [handshakes, weak connection] in
            guard let connection, connection.isSecured || connection.filter.isAtEnd else { return }
            handshakes.finish(connection)
            connection.filter.onRead = {}
        }
        let isAdmitted = handshakes.add(connection) { [weak self, weak connection] in
            if let connection { self?.serve(connection, key) }
        }
        if !isAdmitted { connection.close() }
    }

    /// TLS on top of a connection.
    ///
    /// Without a database of authorities, which only client certificates need: it takes 4 MiB and 50 ms per connection.
    private func secured(
        _ connection: UnsafeMutablePointer<GSocketConnection>, _ certificate: UnsafeMutablePointer<GTlsCertificate>
    ) -> UnsafeMutablePointer<GIOStream>? {
        let object = unsafe SoupObject.make(
            soup.g_tls_backend_get_server_connection_type(soup.g_tls_backend_get_default()),
            [
                ("base-io-stream", .object(UnsafeMutableRawPointer(connection))),
                ("certificate", .object(UnsafeMutableRawPointer(certificate))), ("database", .object(nil)),
            ], soup)
        guard unsafe soup.g_initable_init(OpaquePointer(object), nil, nil) != 0 else {
            unsafe soup.g_object_unref(object)
            return nil
        }
        return unsafe object.assumingMemoryBound(to: GIOStream.self)
    }

    /// Lets libsoup read a connection.
    private func serve(_ connection: SoupConnection, _ address: UInt) {
        guard connections[address] === connection else { return }
        let remote = unsafe UnsafeMutablePointer<GSocketAddress>(bitPattern: address)
        _ = unsafe soup.soup_server_accept_iostream(
            server, connection.stream, connection.localAddress, remote, nil)
    }

    private func peer(_ address: UnsafeMutablePointer<GSocketAddress>) -> String {
        let object = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: GTypeInstance.self)
        guard unsafe soup.g_type_check_instance_is_a(object, soup.g_inet_socket_address_get_type()) != 0,
            let inet = unsafe soup.g_inet_socket_address_get_address(
                UnsafeMutableRawPointer(address).assumingMemoryBound(to: GInetSocketAddress.self)),
            let text = unsafe soup.g_inet_address_to_string(inet)
        else { return SoupConnection.localPeer }
        defer { unsafe soup.g_free(text) }
        return unsafe String(cString: text)
    }

    private func gotHeaders(_ message: OpaquePointer?) {
        guard let message = unsafe message, let address = unsafe soup.soup_server_message_get_remote_address(message),
            let connection = connections[UInt(bitPattern: address)]
        else { return }
        let exchange = unsafe SoupExchange(message, connection: connection, soup: soup)
        exchanges[UInt(bitPattern: message)] = exchange
        let finished: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { message, this in
            unsafe SoupEndpoint.from(this) { unsafe $0.finished(message) }
        }
        unsafe SoupSignal.connect(
            soup, UnsafeMutableRawPointer(message), "finished", unsafeBitCast(finished, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque())
        events.headers(exchange)
    }

    private func gotBody(_ message: OpaquePointer?) {
        if let exchange = exchanges[UInt(bitPattern: message)] { events.body(exchange) }
    }

    private func opened(_ message: OpaquePointer?, _ socket: OpaquePointer?) {
        // libsoup does not report the end of this request.
        guard let exchange = exchanges.removeValue(forKey: UInt(bitPattern: message)), let socket = unsafe socket
        else { return }
        let maxMessage = maxMessages[exchange.rawPath] ?? 0
        exchange.connection.filter.startMessages(maxLength: maxMessage)
        events.webSocket(
            exchange,
            unsafe SoupSocket(socket, soup: soup, maxMessage: maxMessage, pingInterval: Self.pingInterval))
    }

    private func finished(_ message: OpaquePointer?) {
        let key = UInt(bitPattern: message)
        guard exchanges[key]?.isUpgrade == true else { return finish(key) }
        // The WebSocket was not opened.
        EventLoop.shared.post { self.finish(key) }
    }

    private func finish(_ key: UInt) { exchanges.removeValue(forKey: key)?.finish() }
}
