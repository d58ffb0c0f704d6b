// Invariant: the library is never closed, so its functions stay valid; its strings are copied, never kept.
import CALSAMessages
import Glibc

/// The ALSA library, loaded on first use: commands without a microphone do not pay for it.
@safe
package struct ALSALibrary: @unchecked Sendable {
    /// `nil` if it is not installed.
    package static let shared = ALSALibrary()

    private let handle: UnsafeMutableRawPointer

    private init?() {
        guard let handle = unsafe dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL) else { return nil }
        unsafe self.handle = unsafe handle
    }

    /// Looks up a function by name; the caller provides its type.
    func function<F>(_ name: String, as type: F.Type) throws(CaptureError) -> F {
        guard let symbol = unsafe dlsym(handle, name) else { throw .libraryMissing }
        return unsafe unsafeBitCast(symbol, to: type)
    }

    package var version: String? {
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        guard let call = unsafe try? function("snd_asoundlib_version", as: Version.self), let text = unsafe call()
        else { return nil }
        return unsafe String(cString: text)
    }

    /// Returns ALSA's text for an error number.
    func text(_ code: Int32) -> String {
        typealias Text = @convention(c) (Int32) -> UnsafePointer<CChar>?
        guard let call = unsafe try? function("snd_strerror", as: Text.self), let text = unsafe call(code) else {
            return "error \(code)"
        }
        return unsafe String(cString: text)
    }

    // MARK: Messages

    /// Collects ALSA's messages on this thread instead of printing them to standard error.
    func collectMessages() {
        guard let set = unsafe dlsym(handle, "snd_lib_error_set_local") else { return }
        unsafe ca_collect_messages(set)
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
        typealias Hint =
            @convention(c) (
                Int32, UnsafePointer<CChar>?, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutableRawPointer?>?>?
            ) -> Int32
        typealias Get = @convention(c) (UnsafeRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
        typealias Free = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32
        guard let hint = unsafe try? function("snd_device_name_hint", as: Hint.self),
            let get = unsafe try? function("snd_device_name_get_hint", as: Get.self),
            let free = unsafe try? function("snd_device_name_free_hint", as: Free.self)
        else { return [] }
        var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard unsafe hint(-1, "pcm", &list) == 0, let hints = unsafe list else { return [] }
        defer { _ = unsafe free(hints) }
        func value(_ hint: UnsafeRawPointer, _ key: String) -> String? {
            guard let text = unsafe get(hint, key) else { return nil }
            defer { unsafe Glibc.free(text) }
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
