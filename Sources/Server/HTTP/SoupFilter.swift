import CSoup

/// The stream from which libsoup reads a connection: all bytes pass through a `FramingValidator` first.
///
/// It is a subclass of GIO's filter stream that also protects the loop from libsoup:
/// - libsoup reads for as long as something arrives, so a client that sends fast would be the only one served. Here each
///   connection gets a share of every turn of the loop.
/// - libsoup never releases a connection that ends or fails between two requests. Here every connection ends in the
///   middle of one.
///
/// Invariant: GIO reads only on the event loop, each stream owns one reference to its filter, and keeps the stream below
/// alive.
@safe
@EventLoop
final class SoupFilter {
    /// Bytes that libsoup gets in one turn of the loop. It parses small messages in quadratic time: those of a share
    /// take it three milliseconds.
    private static let share = 16 << 10

    /// Milliseconds after which libsoup tries again while nothing is read.
    private nonisolated static let pauseInterval: UInt32 = 50

    /// Bytes of a share that a chunk or a message costs besides its own.
    private static let itemCost = 256

    /// Called once, when the client breaks the rules. Nothing passes from then on.
    var onViolation: (FramingValidator.Violation) -> Void = { _ in }
    /// Called when the client has ended the connection between requests.
    var onIdleEnd: () -> Void = {}
    /// Called after each attempt to read from the connection.
    var onRead: () -> Void = {}
    private var validator: FramingValidator
    /// Whether everything that the client sends is read and discarded.
    private(set) var isStopped = false
    /// Whether nothing is read for now, so that the client has to wait.
    var isPaused = false
    /// Whether nothing more will come from the client.
    private(set) var isAtEnd = false
    /// Bytes that were read but not checked, because a response determines how they are framed.
    private var held: [UInt8] = []
    /// What is left of the share.
    private var left = SoupFilter.share

    init(_ validator: FramingValidator) {
        self.validator = validator
    }

    /// Discards everything that the client sends from now on, so that it can read a response instead of getting a
    /// reset.
    func stop() { isStopped = true }

    /// Counts a chunk or a message against the share: small ones cost more time than their bytes.
    func charge() { left -= Self.itemCost }

    /// Whether no part of a request has arrived since the last one.
    var isIdle: Bool { validator.isIdle }

    /// Whether a body has begun and not all of it has passed.
    var isInsideBody: Bool { validator.isInsideBody }

    /// - Parameter maxLength: bytes of a WebSocket message.
    func startMessages(maxLength: Int) {
        validator.startMessages(maxLength: maxLength)
        isInsideRequest = true
    }

    /// Whether libsoup has read a part of a request but not all of it.
    private var isInsideRequest = false

    /// Fills `room`.
    ///
    /// - Parameter receive: reads from the connection: the number of bytes, 0 at its end, `nil` if there are none yet.
    /// - Returns: the same for what may pass.
    private func read(
        into room: UnsafeMutableRawBufferPointer, receive: (UnsafeMutableRawBufferPointer) -> Int?
    ) -> Int? {
        guard unsafe !room.isEmpty else { return 0 }
        if isPaused { return nil }
        while left > 0 {
            let count: Int
            if !held.isEmpty {
                count = min(held.count, room.count)
                unsafe room.copyBytes(from: held[..<count])
                held.removeFirst(count)
            } else if isAtEnd {
                return unsafe end(room)
            } else {
                guard let received = unsafe receive(UnsafeMutableRawBufferPointer(rebasing: room.prefix(left))) else {
                    break
                }
                left -= received
                isAtEnd = received == 0
                count = received
            }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: room[..<count])
            let passed = unsafe check(Span<UInt8>(_unsafeBytes: bytes))
            if isStopped {
                held = []
            } else if passed < count {
                unsafe held.insert(contentsOf: bytes[passed...], at: 0)
            }
            if passed > 0 { return passed }
        }
        // Now it is the turn of others.
        left = Self.share
        return nil
    }

    private func check(_ bytes: Span<UInt8>) -> Int {
        guard !isStopped else { return 0 }
        do throws(FramingValidator.Violation) {
            let count = try validator.check(bytes)
            isInsideRequest = !validator.isIdle
            return count
        } catch {
            stop()
            onViolation(error)
            return 0
        }
    }

    /// Ends the stream, with the start of a request if libsoup has none. (It would respond with an error, so by then
    /// nothing more is written.)
    private func end(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard !isInsideRequest else { return 0 }
        isInsideRequest = true
        onIdleEnd()
        unsafe room[0] = UInt8(ascii: "X")
        return 1
    }

    // MARK: - GIO

    private nonisolated static let key = "whisper-local-filter"
    private static var type: GType?

    /// Makes a connection that reads through this filter and writes directly.
    ///
    /// - Parameter stream: a connection, or TLS on top of one.
    /// - Returns: a new reference.
    func wrap(
        _ stream: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>, _ soup: SoupFunctions
    ) -> UnsafeMutablePointer<GIOStream> {
        let type = Self.type ?? Self.register(soup)
        Self.type = type
        let base = unsafe UnsafeMutableRawPointer(soup.g_io_stream_get_input_stream(stream)!)
        let input = unsafe SoupObject.make(type, [("base-stream", .object(base))], soup)
        unsafe soup.g_object_set_data_full(
            input.assumingMemoryBound(to: GObject.self), Self.key, Unmanaged.passRetained(self).toOpaque(),
            { unsafe Unmanaged<SoupFilter>.fromOpaque($0!).release() })
        let both = unsafe soup.g_simple_io_stream_new(
            input.assumingMemoryBound(to: GInputStream.self), soup.g_io_stream_get_output_stream(stream))!
        defer {
            unsafe soup.g_object_unref(input)
            unsafe soup.g_object_unref(UnsafeMutableRawPointer(both))
        }
        // This one closes the socket when it is closed. It serves Unix sockets, too, which its own constructor refuses.
        let wrapper = unsafe SoupObject.make(
            soup.g_tcp_wrapper_connection_get_type(),
            [
                ("base-io-stream", .object(UnsafeMutableRawPointer(both))),
                ("socket", .object(UnsafeMutableRawPointer(socket))),
            ],
            soup)
        // GIO closes the streams of a connection when its last reference goes.
        unsafe soup.g_object_set_data_full(
            wrapper.assumingMemoryBound(to: GObject.self), "connection", soup.g_object_ref(stream),
            { unsafe SoupLibrary.shared!.g_object_unref($0) })
        return unsafe wrapper.assumingMemoryBound(to: GIOStream.self)
    }

    private static func register(_ soup: SoupFunctions) -> GType {
        let type = unsafe soup.g_type_register_static_simple(
            soup.g_filter_input_stream_get_type(), "WhisperLocalFilter",
            guint(MemoryLayout<GFilterInputStreamClass>.size),
            { table, _ in
                let table = unsafe table!.assumingMemoryBound(to: GInputStreamClass.self)
                unsafe table.pointee.read_fn = { stream, buffer, count, _, error in
                    unsafe SoupFilter.read(UnsafeMutableRawPointer(stream!), buffer!, count, error)
                }
            }, guint(MemoryLayout<GFilterInputStream>.size), nil, GTypeFlags(rawValue: 0))
        var interface = unsafe GInterfaceInfo(
            interface_init: { table, _ in
                let table = unsafe table!.assumingMemoryBound(to: GPollableInputStreamInterface.self)
                unsafe table.pointee.is_readable = { stream in
                    unsafe SoupFilter.isReadable(UnsafeMutableRawPointer(stream!)) ? 1 : 0
                }
                unsafe table.pointee.create_source = { stream, cancellable in
                    unsafe SoupFilter.makeSource(UnsafeMutableRawPointer(stream!), cancellable)
                }
                unsafe table.pointee.read_nonblocking = { stream, buffer, count, error in
                    unsafe SoupFilter.read(UnsafeMutableRawPointer(stream!), buffer!, count, error)
                }
            }, interface_finalize: nil, interface_data: nil)
        unsafe soup.g_type_add_interface_static(type, soup.g_pollable_input_stream_get_type(), &interface)
        return type
    }

    /// The filter of a stream, and the stream below it.
    private nonisolated static func parts(
        _ stream: UnsafeMutableRawPointer, _ soup: SoupFunctions
    ) -> (filter: SoupFilter, base: OpaquePointer) {
        let box = unsafe soup.g_object_get_data(stream.assumingMemoryBound(to: GObject.self), key)!
        let base = unsafe stream.assumingMemoryBound(to: GFilterInputStream.self).pointee.base_stream!
        return unsafe (Unmanaged<SoupFilter>.fromOpaque(box).takeUnretainedValue(), OpaquePointer(base))
    }

    private nonisolated static func read(
        _ stream: UnsafeMutableRawPointer, _ buffer: UnsafeMutableRawPointer, _ count: gsize,
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gssize {
        let soup = SoupLibrary.shared!
        let (filter, base) = unsafe parts(stream, soup)
        // Pointers cannot be sent to the loop, although this is its thread.
        let (address, source) = (UInt(bitPattern: buffer), UInt(bitPattern: base))
        let passed: Int? = EventLoop.assumeIsolated {
            let room = unsafe UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: Int(count))
            return unsafe filter.read(into: room) {
                unsafe filter.receive($0, OpaquePointer(bitPattern: source)!, soup)
            }
        }
        if let passed { return passed }
        unsafe soup.g_set_error_literal(
            error, soup.g_io_error_quark(), gint(G_IO_ERROR_WOULD_BLOCK.rawValue), "nothing to read yet")
        return -1
    }

    /// Reads from the connection. One that failed has ended.
    private func receive(
        _ room: UnsafeMutableRawBufferPointer, _ base: OpaquePointer, _ soup: SoupFunctions
    ) -> Int? {
        defer { onRead() }
        var error: UnsafeMutablePointer<GError>?
        let count = unsafe soup.g_pollable_input_stream_read_nonblocking(
            base, room.baseAddress, gsize(room.count), nil, &error)
        guard count < 0 else { return count }
        defer { unsafe soup.g_clear_error(&error) }
        let isBlocked = unsafe soup.g_error_matches(
            error, soup.g_io_error_quark(), gint(G_IO_ERROR_WOULD_BLOCK.rawValue))
        return isBlocked != 0 ? nil : 0
    }

    /// Whether there is something to read without asking the connection.
    private var isReady: Bool { !held.isEmpty || isAtEnd }

    private nonisolated static func isReadable(_ stream: UnsafeMutableRawPointer) -> Bool {
        let soup = SoupLibrary.shared!
        let (filter, base) = unsafe parts(stream, soup)
        if EventLoop.assumeIsolated({ filter.isPaused }) { return false }
        if EventLoop.assumeIsolated({ filter.isReady }) { return true }
        return unsafe soup.g_pollable_input_stream_is_readable(base) != 0
    }

    private nonisolated static func makeSource(
        _ stream: UnsafeMutableRawPointer, _ cancellable: UnsafeMutablePointer<GCancellable>?
    ) -> UnsafeMutablePointer<GSource>? {
        let soup = SoupLibrary.shared!
        let (filter, base) = unsafe parts(stream, soup)
        let delay: UInt32? = EventLoop.assumeIsolated {
            filter.isPaused ? pauseInterval : filter.isReady ? 0 : nil
        }
        let source =
            if let delay {
                soup.g_timeout_source_new(delay)
            } else {
                unsafe soup.g_pollable_input_stream_create_source(base, nil)
            }
        defer { unsafe soup.g_source_unref(source) }
        return unsafe soup.g_pollable_source_new_full(stream, source, cancellable)
    }
}
