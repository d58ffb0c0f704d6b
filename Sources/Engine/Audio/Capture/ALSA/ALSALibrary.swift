// Invariant: the library is never closed, so its functions stay valid; its strings are copied, never kept.
import CALSA
import CALSAMessages
import EngineBasics
import Glibc

/// The ALSA library, loaded on first use: commands without a microphone do not pay for it.
///
/// To use another of its functions, add its name to `Sources/CALSA/shim.h`.
package struct ALSALibrary: Sendable {
    /// `nil` if it is not installed.
    package static let shared = try? ALSALibrary()

    let functions: ALSAFunctions
    private let library: SharedLibrary

    private init() throws(SharedLibrary.Missing) {
        library = try SharedLibrary("libasound.so.2")
        functions = try unsafe SharedLibrary.functions(of: [library], named: alsa_function_name)
    }

    package var version: String? {
        guard let text = functions.snd_asoundlib_version() else { return nil }
        return unsafe String(cString: text)
    }

    /// Returns ALSA's text for an error number.
    func text(_ code: Int32) -> String {
        guard let text = functions.snd_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    // MARK: Messages

    /// Collects ALSA's messages on this thread instead of printing them to standard error.
    func collectMessages() {
        guard let set = try? library.function("snd_lib_error_set_local", as: UInt.self) else { return }
        unsafe ca_collect_messages(UnsafeMutableRawPointer(bitPattern: set))
    }

    /// Returns and clears ALSA's last message on this thread, on one line.
    func takeMessage() -> String? {
        guard let text = unsafe ca_last_message() else { return nil }
        defer { ca_forget_message() }
        let message = unsafe String(cString: text).split(separator: "\n").joined(separator: " ")
        return message.isEmpty ? nil : message
    }

    // MARK: Devices

    /// Returns the devices in ALSA's configuration, in its order.
    ///
    /// - Returns: name, description, and direction: `Input`, `Output`, or `nil` for both.
    func deviceHints() -> [(name: String, description: String?, direction: String?)] {
        var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard unsafe functions.snd_device_name_hint(-1, "pcm", &list) == 0, let hints = unsafe list else { return [] }
        defer { _ = unsafe functions.snd_device_name_free_hint(hints) }
        func value(_ hint: UnsafeRawPointer, _ key: String) -> String? {
            guard let text = unsafe functions.snd_device_name_get_hint(hint, key) else { return nil }
            defer { unsafe free(text) }
            return unsafe String(cString: text)
        }
        var devices: [(name: String, description: String?, direction: String?)] = []
        var index = 0
        while let hint = unsafe hints[index] {
            if let name = unsafe value(hint, "NAME") {
                unsafe devices.append((name, value(hint, "DESC"), value(hint, "IOID")))
            }
            index += 1
        }
        return devices
    }
}
