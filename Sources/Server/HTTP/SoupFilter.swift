import CSoup

/// The stream from which libsoup reads a connection: all bytes pass through a `FramingValidator` first.
///
/// It is GIO's converter stream with a converter that changes nothing.
///
/// Invariant: GIO calls the converter only on the event loop, and each converter owns one reference to its filter.
@safe
@EventLoop
final class SoupFilter {
    /// Called once, when the client breaks the rules. Nothing passes from then on.
    var onViolation: (FramingValidator.Violation) -> Void = { _ in }
    /// Called when the client has ended the connection between requests.
    var onIdleEnd: () -> Void = {}
    private var validator: FramingValidator
    /// Whether everything that the client sends is read and discarded.
    private(set) var isStopped = false

    init(_ validator: FramingValidator) {
        self.validator = validator
    }

    /// Discards everything that the client sends from now on, so that it can read a response instead of getting a
    /// reset.
    func stop() { isStopped = true }

    /// Whether no part of a request has arrived since the last one.
    var isIdle: Bool { validator.isIdle }

    /// Whether a body has begun and not all of it has passed.
    var isInsideBody: Bool { validator.isInsideBody }

    func startMessages() {
        validator.startMessages()
        isInsideRequest = true
    }

    /// Whether libsoup has read a part of a request but not all of it.
    private var isInsideRequest = false

    /// libsoup releases a connection only if it ends in the middle of a request, so at the end it is fed the start of
    /// one. (It would respond with an error, so by then nothing more is written.)
    private func needsPlaceholder() -> Bool {
        guard !isInsideRequest else { return false }
        isInsideRequest = true
        onIdleEnd()
        return true
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

    // MARK: - GIO

    private nonisolated static let key = "whisper-local-filter"
    private static var type: GType?

    /// Makes a connection that reads through this filter and writes directly.
    ///
    /// - Parameter stream: a connection, or TLS on top of one.
    /// - Returns: a new reference.
    func wrap(
        _ stream: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>, _ soup: SoupLibrary
    ) -> UnsafeMutablePointer<GIOStream> {
        let type = Self.type ?? Self.register(soup)
        Self.type = type
        // GLib ends the program rather than return nothing.
        let converter = unsafe soup.g_object_new_with_properties(type, 0, nil, nil)!
        unsafe soup.g_object_set_data_full(
            converter, Self.key, Unmanaged.passRetained(self).toOpaque(),
            { unsafe Unmanaged<SoupFilter>.fromOpaque($0!).release() })
        let input = unsafe soup.g_converter_input_stream_new(
            soup.g_io_stream_get_input_stream(stream), OpaquePointer(converter))
        let both = unsafe soup.g_simple_io_stream_new(input, soup.g_io_stream_get_output_stream(stream))!
        defer {
            unsafe soup.g_object_unref(converter)
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

    private static func register(_ soup: SoupLibrary) -> GType {
        let object = GType(20 << 2)  // G_TYPE_OBJECT, which is a macro.
        let type = unsafe soup.g_type_register_static_simple(
            object, "WhisperLocalFilter", guint(MemoryLayout<GObjectClass>.size), nil,
            guint(MemoryLayout<GObject>.size), nil, GTypeFlags(rawValue: 0))
        var interface = unsafe GInterfaceInfo(
            interface_init: { table, _ in
                let table = unsafe table!.assumingMemoryBound(to: GConverterIface.self)
                unsafe table.pointee.reset = { _ in }
                unsafe table.pointee.convert = { converter, input, count, output, room, flags, read, written, error in
                    unsafe SoupFilter.convert(
                        converter, UnsafeRawBufferPointer(start: input, count: Int(count)),
                        UnsafeMutableRawBufferPointer(start: output, count: Int(room)),
                        isAtEnd: flags.rawValue & G_CONVERTER_INPUT_AT_END.rawValue != 0, read!, written!, error)
                }
            }, interface_finalize: nil, interface_data: nil)
        unsafe soup.g_type_add_interface_static(type, soup.g_converter_get_type(), &interface)
        return type
    }

    private nonisolated static func convert(
        _ converter: OpaquePointer?, _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer,
        isAtEnd: Bool, _ read: UnsafeMutablePointer<gsize>, _ written: UnsafeMutablePointer<gsize>,
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> GConverterResult {
        guard let soup = SoupLibrary.shared,
            let box = unsafe soup.g_object_get_data(UnsafeMutablePointer(converter), key)
        else { return G_CONVERTER_ERROR }
        let filter = unsafe Unmanaged<SoupFilter>.fromOpaque(box).takeUnretainedValue()
        unsafe read.pointee = 0
        unsafe written.pointee = 0
        guard unsafe !input.isEmpty else {
            if isAtEnd {
                guard EventLoop.assumeIsolated({ filter.needsPlaceholder() }), output.count > 0 else {
                    return G_CONVERTER_FINISHED
                }
                unsafe output[0] = UInt8(ascii: "X")
                unsafe written.pointee = 1
                return G_CONVERTER_CONVERTED
            }
            unsafe soup.g_set_error_literal(
                error, soup.g_io_error_quark(), gint(G_IO_ERROR_PARTIAL_INPUT.rawValue), "more input is needed")
            return G_CONVERTER_ERROR
        }
        let count = min(input.count, output.count)
        // A pointer cannot be sent to the loop, although this is its thread.
        let start = UInt(bitPattern: input.baseAddress)
        let (passed, isStopped) = EventLoop.assumeIsolated {
            let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
            let passed = unsafe filter.check(Span<UInt8>(_unsafeBytes: bytes))
            return (passed, filter.isStopped)
        }
        if passed > 0 { unsafe output.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(passed))) }
        unsafe read.pointee = gsize(isStopped ? input.count : passed)
        unsafe written.pointee = gsize(passed)
        return G_CONVERTER_CONVERTED
    }
}
