// Invariant: the descriptors are used and closed only by the thread that `watch` starts.
import Dispatch
import Glibc
import Synchronization
package import WhisperEngine

/// The keyboards of this machine, read through the kernel to notice a single key, whichever window has the keyboard. All other
/// keys pass through this program, too, and are forgotten at once.
package final class InputDevices: Sendable {
    private let folder: FilePath
    private let key: InputKey
    private let isStopped = Atomic<Bool>(false)

    /// `struct input_event` with 64-bit times: two of those, then type, code and value.
    private static let eventBytes = 24
    /// `EV_KEY`
    private static let keyType: UInt16 = 1
    /// How often new keyboards are looked for, in milliseconds.
    private static let interval: Int32 = 500

    /// - Throws: if none can be read.
    package init(_ key: InputKey, folder: FilePath = FilePath("/dev/input")) throws(ErrorReport) {
        (self.key, self.folder) = (key, folder)
        let devices = Self.devices(in: folder)
        guard !devices.contains(where: FileSystem.isReadable) else { return }
        throw ErrorReport(
            .unavailable,
            devices.isEmpty
                ? "--key: there are no keyboards in \(folder)"
                : "--key: this user may not read the keyboards in \(folder)",
            advice: devices.isEmpty
                ? "use `dictate start` and `dictate stop` as the desktop's hot keys"
                : "use `dictate start` and `dictate stop` as the desktop's hot keys; members of the group input may read "
                    + "keyboards, but then all their programs can read every key, passwords too")
    }

    private static func devices(in folder: FilePath) -> [FilePath] {
        guard case .success(let names) = FileSystem.names(in: folder) else { return [] }
        return names.filter { "\($0)".hasPrefix("event") }.map { folder.appending($0) }
    }

    /// Calls `report` with `true` when the key is pressed and with `false` when it is released, also because its keyboard is
    /// gone; not when it repeats.
    package func watch(_ report: @escaping @Sendable (_ isDown: Bool) -> Void) {
        DispatchQueue(label: "whisper-local.keys").async { self.read(report) }
    }

    package func stop() { isStopped.store(true, ordering: .releasing) }

    private func read(_ report: (Bool) -> Void) {
        var open: [(path: FilePath, descriptor: Int32)] = []
        var holder: Int32?
        var buffer = [UInt8](repeating: 0, count: 64 * Self.eventBytes)
        while !isStopped.load(ordering: .acquiring) {
            for path in Self.devices(in: folder) where !open.contains(where: { $0.path == path }) {
                let descriptor = unsafe Glibc.open(path.cString, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                if descriptor >= 0 { open.append((path, descriptor)) }
            }
            var wanted = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&wanted, nfds_t(wanted.count), Self.interval) > 0 else { continue }
            for ready in wanted where ready.revents != 0 {
                let count = unsafe Glibc.read(ready.fd, &buffer, buffer.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                for isDown in Self.changes(in: buffer[..<max(count, 0)], of: key) {
                    if isDown, holder == nil {
                        holder = ready.fd
                        report(true)
                    } else if !isDown, holder == ready.fd {
                        holder = nil
                        report(false)
                    }
                }
                guard count <= 0 else { continue }
                // It has been unplugged.
                if holder == ready.fd {
                    holder = nil
                    report(false)
                }
                close(ready.fd)
                open.removeAll { $0.descriptor == ready.fd }
            }
        }
        for device in open { close(device.descriptor) }
    }

    /// The presses and releases of the key in events, without repeats.
    private static func changes(in bytes: ArraySlice<UInt8>, of key: InputKey) -> [Bool] {
        stride(from: 0, to: bytes.count / eventBytes * eventBytes, by: eventBytes).compactMap { offset in
            func half(_ position: Int) -> UInt16 {
                UInt16(bytes[offset + position]) | UInt16(bytes[offset + position + 1]) << 8
            }
            guard half(16) == keyType, Int(half(18)) == key.code else { return nil }
            return half(20) == 0 ? false : half(20) == 1 ? true : nil
        }
    }
}
