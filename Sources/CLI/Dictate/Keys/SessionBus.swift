#if HAS_SOUP
    // Invariant: a bus lives as long as the program, so GLib may call what has been subscribed at any time. Each variant that
    // GLib returns is released once.
    import CGio
    import Synchronization
    import WhisperEngine

    /// The message bus of the user's session (D-Bus), on which one other program is called and listened to. GLib is opened
    /// on first use: linking it would slow down the start of every command.
    ///
    /// To use another of its functions, add its name to `Sources/CGio/shim.h`.
    @safe
    final class SessionBus: @unchecked Sendable {
        enum Failure: Error, Equatable {
            case noLibrary
            case noBus(String)
            /// - Parameter name: such as `org.freedesktop.DBus.Error.ServiceUnknown`; empty for an error of GLib.
            case refused(name: String, message: String)
        }

        /// What a message contains, as far as it is needed here. Tuples, arrays and dictionaries are lists.
        indirect enum Value: Equatable, Sendable {
            case text(String)
            case number(UInt32)
            case list([Value])
            case other

            var list: [Value] { if case .list(let values) = self { values } else { [] } }

            /// The value of a key in a dictionary.
            subscript(key: String) -> Value? { list.first { $0.list.first == .text(key) }?.list.last }
        }

        struct Signal: Sendable {
            let path: String
            let interface: String
            let member: String
            let values: [Value]
        }

        /// Signals that have arrived.
        private final class Inbox: Sendable {
            let gio: GioFunctions
            let signals = Mutex<[Signal]>([])

            init(_ gio: GioFunctions) { self.gio = gio }
        }

        private let gio: GioFunctions
        private let connection: OpaquePointer
        /// Signals are delivered to the thread that iterates it.
        private let context: OpaquePointer?
        private let inbox: Inbox
        private let peer: String
        private let stops = Atomic<Bool>(false)

        /// In milliseconds.
        private static let answerTime: Int32 = 10_000

        /// Listens to a program, whether or not it is already running.
        ///
        /// - Parameter peer: its name on the bus.
        init(peer: String) throws(Failure) {
            let gio: GioFunctions
            do throws(SharedLibrary.Missing) {
                // Functions of GLib are found through it, because it depends on them.
                gio = try unsafe SharedLibrary.functions(
                    of: [try SharedLibrary("libgio-2.0.so.0")], named: gio_function_name)
            } catch {
                throw .noLibrary
            }
            let context = gio.g_main_context_new()
            unsafe gio.g_main_context_push_thread_default(context)
            defer { unsafe gio.g_main_context_pop_thread_default(context) }
            var error: UnsafeMutablePointer<GError>?
            guard let connection = unsafe gio.g_bus_get_sync(G_BUS_TYPE_SESSION, nil, &error) else {
                throw unsafe .noBus(Self.failure(error, gio).message)
            }
            unsafe gio.g_dbus_connection_set_exit_on_close(connection, 0)
            (self.gio, self.peer, inbox) = (gio, peer, Inbox(gio))
            unsafe (self.connection, self.context) = (connection, context)
            subscribe(to: peer)
            // When it ends, and when it is there again.
            subscribe(to: "org.freedesktop.DBus", member: "NameOwnerChanged", about: peer)
        }

        private func subscribe(to sender: String, member: String? = nil, about name: String? = nil) {
            _ = unsafe gio.g_dbus_connection_signal_subscribe(
                // Newer versions of GLib mark flags as such, and Swift then imports no constant for none of them.
                connection, sender, nil, member, nil, name, GDBusSignalFlags(rawValue: 0),
                { _, _, path, interface, member, body, inbox in
                    guard let inbox = unsafe inbox, let path = unsafe path, let interface = unsafe interface,
                        let member = unsafe member, let body = unsafe body
                    else { return }
                    let target = unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeUnretainedValue()
                    let signal = unsafe Signal(
                        path: String(cString: path), interface: String(cString: interface),
                        member: String(cString: member), values: SessionBus.value(body, target.gio).list)
                    target.signals.withLock { $0.append(signal) }
                }, Unmanaged.passRetained(inbox).toOpaque(), nil)
        }

        /// - Parameter arguments: a tuple in GLib's text format for variants.
        /// - Returns: what is returned.
        func call(_ method: String, of interface: String, at path: String, _ arguments: String) throws(Failure)
            -> [Value]
        {
            var error: UnsafeMutablePointer<GError>?
            guard let tuple = unsafe gio.g_variant_parse(nil, arguments, nil, nil, &error) else {
                throw unsafe Self.failure(error, gio).refusal
            }
            defer { unsafe gio.g_variant_unref(tuple) }
            guard
                let answer = unsafe gio.g_dbus_connection_call_sync(
                    connection, peer, path, interface, method, tuple, nil, GDBusCallFlags(rawValue: 0),
                    Self.answerTime, nil, &error)
            else { throw unsafe Self.failure(error, gio).refusal }
            defer { unsafe gio.g_variant_unref(answer) }
            return unsafe Self.value(answer, gio).list
        }

        /// Waits for a signal; only one thread at a time may do so.
        ///
        /// - Returns: `nil` when the bus is gone, or after `stop`.
        func next() -> Signal? {
            while !isStopped {
                if let signal = inbox.signals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return signal }
                if unsafe gio.g_dbus_connection_is_closed(connection) != 0 { return nil }
                _ = unsafe gio.g_main_context_iteration(context, 1)
            }
            return nil
        }

        var isStopped: Bool { stops.load(ordering: .acquiring) }

        /// Ends the waiting; may be called on any thread.
        func stop() {
            stops.store(true, ordering: .releasing)
            unsafe gio.g_main_context_wakeup(context)
        }

        private static func value(_ variant: OpaquePointer, _ gio: GioFunctions) -> Value {
            switch unsafe gio.g_variant_classify(variant) {
            case G_VARIANT_CLASS_STRING, G_VARIANT_CLASS_OBJECT_PATH:
                return unsafe .text(gio.g_variant_get_string(variant, nil).map { unsafe String(cString: $0) } ?? "")
            case G_VARIANT_CLASS_UINT32: return unsafe .number(gio.g_variant_get_uint32(variant))
            case let type:
                guard unsafe gio.g_variant_is_container(variant) != 0 else { return .other }
                let children = unsafe (0..<gio.g_variant_n_children(variant)).compactMap { index -> Value? in
                    guard let child = unsafe gio.g_variant_get_child_value(variant, index) else { return nil }
                    defer { unsafe gio.g_variant_unref(child) }
                    return unsafe value(child, gio)
                }
                return type == G_VARIANT_CLASS_VARIANT ? children.first ?? .other : .list(children)
            }
        }

        /// Releases an error.
        private static func failure(
            _ error: UnsafeMutablePointer<GError>?, _ gio: GioFunctions
        ) -> (refusal: Failure, message: String) {
            var error = unsafe error
            let name = unsafe gio.g_dbus_error_get_remote_error(error)
            defer {
                unsafe gio.g_free(name)
                unsafe gio.g_clear_error(&error)
            }
            _ = unsafe gio.g_dbus_error_strip_remote_error(error)
            let message = unsafe gio_error_message(error).map { unsafe String(cString: $0) } ?? ""
            return (.refused(name: unsafe name.map { unsafe String(cString: $0) } ?? "", message: message), message)
        }
    }
#endif
