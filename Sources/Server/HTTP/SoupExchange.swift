import CSoup

/// A request and its response in libsoup.
///
/// Invariant: the message is kept alive by this object, and used only on the event loop.
@safe
@EventLoop
final class SoupExchange {
    /// The connection that the request came on.
    let connection: SoupConnection
    /// Called with each part of the body.
    var onChunk: ([UInt8]) -> Void = { _ in }
    /// Called once, last: the response has been written or the connection was lost.
    var onFinish: () -> Void = {}
    private(set) var isFinished = false
    /// Whether the request asks for a WebSocket, which takes over the connection.
    var isUpgrade = false

    private let soup: SoupFunctions
    private let message: OpaquePointer

    init(_ message: OpaquePointer, connection: SoupConnection, soup: SoupFunctions) {
        self.soup = soup
        self.connection = connection
        unsafe self.message = message
        _ = unsafe soup.g_object_ref(UnsafeMutableRawPointer(message))
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        let gotChunk: @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
            _, bytes, this in
            guard let this = unsafe this, let bytes = unsafe bytes else { return }
            let chunk = unsafe SoupBytes.array(bytes)
            let exchange = unsafe Unmanaged<SoupExchange>.fromOpaque(this).takeUnretainedValue()
            EventLoop.assumeIsolated { exchange.onChunk(chunk) }
        }
        unsafe SoupSignal.connect(
            soup, UnsafeMutableRawPointer(message), "got-chunk", unsafeBitCast(gotChunk, to: GCallback.self), this)
    }

    isolated deinit { unsafe soup.g_object_unref(UnsafeMutableRawPointer(message)) }

    // MARK: - Request

    var method: String {
        unsafe soup.soup_server_message_get_method(message).map { unsafe String(cString: $0) } ?? ""
    }

    var isHTTP10: Bool { unsafe soup.soup_server_message_get_http_version(message) == SOUP_HTTP_1_0 }

    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool { headers["Expect"] != nil }

    /// The path as it was sent.
    var rawPath: String {
        unsafe soup.g_uri_get_path(soup.soup_server_message_get_uri(message)).map { unsafe String(cString: $0) } ?? ""
    }

    /// The query as it was sent, without its question mark.
    var rawQuery: String? {
        unsafe soup.g_uri_get_query(soup.soup_server_message_get_uri(message)).map { unsafe String(cString: $0) }
    }

    /// Host and port of the address that libsoup answers, which a request line with a whole address may give.
    var authority: (host: String, port: Int) {
        let uri = unsafe soup.soup_server_message_get_uri(message)
        let host = unsafe soup.g_uri_get_host(uri).map { unsafe String(cString: $0) } ?? ""
        return (host, Int(unsafe soup.g_uri_get_port(uri)))
    }

    var headers: Headers {
        let collector = Collector()
        let box = unsafe Unmanaged.passUnretained(collector).toOpaque()
        unsafe soup.soup_message_headers_foreach(
            soup.soup_server_message_get_request_headers(message),
            { name, value, box in
                guard let name = unsafe name, let value = unsafe value, let box = unsafe box else { return }
                unsafe Unmanaged<Collector>.fromOpaque(box).takeUnretainedValue().headers
                    .add(String(cString: name), String(cString: value))
            }, box)
        return collector.headers
    }

    private final class Collector {
        var headers = Headers()
    }

    /// Hands the body over in parts instead of collecting it.
    func streamBody() {
        unsafe soup.soup_message_body_set_accumulate(soup.soup_server_message_get_request_body(message), 0)
    }

    // MARK: - Answer

    /// Pauses the exchange until the next part of its response is available.
    func pause() { unsafe soup.soup_server_message_pause(message) }

    func resume() { unsafe soup.soup_server_message_unpause(message) }

    /// Sets status and headers.
    ///
    /// - Parameter isStream: whether the body comes in parts of unknown number.
    func start(status: Int, headers: Headers, isStream: Bool) {
        unsafe soup.soup_server_message_set_status(message, UInt32(status), nil)
        let answer = unsafe soup.soup_server_message_get_response_headers(message)
        for (name, value) in headers.fields { unsafe soup.soup_message_headers_append(answer, name, value) }
        guard isStream else { return }
        unsafe soup.soup_message_headers_set_encoding(answer, isHTTP10 ? SOUP_ENCODING_EOF : SOUP_ENCODING_CHUNKED)
        unsafe soup.soup_message_body_set_accumulate(soup.soup_server_message_get_response_body(message), 0)
    }

    func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let chunk = unsafe bytes.withUnsafeBytes { unsafe soup.g_bytes_new($0.baseAddress, gsize($0.count)) }
        unsafe soup.soup_message_body_append_bytes(soup.soup_server_message_get_response_body(message), chunk)
        unsafe soup.g_bytes_unref(chunk)
    }

    /// The body is complete.
    func complete() {
        unsafe soup.soup_message_body_complete(soup.soup_server_message_get_response_body(message))
    }

    func finish() {
        guard !isFinished else { return }
        isFinished = true
        onFinish()
        // Break the reference cycles: the closures refer to objects that refer to this one.
        onChunk = { _ in }
        onFinish = {}
    }
}

/// Bytes that GLib owns.
enum SoupBytes {
    static func array(_ bytes: OpaquePointer) -> [UInt8] {
        guard let soup = SoupLibrary.shared else { return [] }
        var count: gsize = 0
        guard let start = unsafe soup.g_bytes_get_data(bytes, &count), count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}

/// Objects of GLib's classes.
enum SoupObject {
    @unsafe
    enum Value {
        case boolean(Bool)
        case object(UnsafeMutableRawPointer?)
    }

    // Types whose names are macros in C.
    private static let boolean = GType(5 << 2)
    private static let object = GType(20 << 2)

    /// Makes an object with these properties.
    static func make(
        _ type: GType, _ properties: [(name: StaticString, value: Value)], _ soup: SoupFunctions
    ) -> UnsafeMutableRawPointer {
        var names = unsafe properties.map {
            unsafe UnsafeRawPointer($0.name.utf8Start).assumingMemoryBound(to: CChar.self) as Optional
        }
        var values = unsafe properties.map { property in
            var value = GValue()
            switch unsafe property.value {
            case .boolean(let isTrue):
                _ = unsafe soup.g_value_init(&value, boolean)
                unsafe soup.g_value_set_boolean(&value, isTrue ? 1 : 0)
            case .object(let pointer):
                _ = unsafe soup.g_value_init(&value, object)
                unsafe soup.g_value_set_object(&value, pointer)
            }
            return value
        }
        defer { for index in values.indices { unsafe soup.g_value_unset(&values[index]) } }
        // GLib ends the program rather than return nothing.
        return unsafe UnsafeMutableRawPointer(
            soup.g_object_new_with_properties(type, guint(names.count), &names, &values)!)
    }
}

/// GObject's signals.
enum SoupSignal {
    /// Connects a callback whose last parameter is `data`.
    static func connect(
        _ soup: SoupFunctions, _ object: UnsafeMutableRawPointer, _ name: String, _ callback: @escaping GCallback,
        _ data: UnsafeMutableRawPointer
    ) {
        _ = unsafe soup.g_signal_connect_data(object, name, callback, data, nil, GConnectFlags(rawValue: 0))
    }
}
