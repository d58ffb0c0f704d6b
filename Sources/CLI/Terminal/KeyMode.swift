// Invariant: `saved` and `farewell` are written before `isOn` is set and stay as they are while it is; `restore` calls
// nothing but what POSIX allows in a signal's handler, since the program may be crashing.
import Glibc
import Synchronization

/// A terminal that gives each key as it is pressed and shows none of them. `restore` is called on every way out.
enum KeyMode {
    private nonisolated(unsafe) static var saved = termios()
    private nonisolated(unsafe) static var isSaved = false
    private nonisolated(unsafe) static var farewell: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var farewellLength = 0
    private nonisolated(unsafe) static var output: Int32 = 1
    private static let isOn = Atomic<Bool>(false)

    /// Takes the keys of standard input; also again after the program was stopped.
    ///
    /// - Parameters:
    ///   - output: descriptor by which the terminal is spoken to.
    ///   - greeting: written there on entering.
    /// - Returns: `false` where standard input is no terminal, or belongs to another program that runs in front.
    static func enter(output descriptor: Int32 = 1, greeting: String = "") -> Bool {
        guard isatty(0) == 1, tcgetpgrp(0) == getpgrp() else { return false }
        if unsafe !isSaved {
            guard unsafe tcgetattr(0, &saved) == 0 else { return false }
            unsafe isSaved = true
            unsafe output = descriptor
        }
        var mode = unsafe saved
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Ctrl-C and Ctrl-Z stay signals. Ctrl-\ would end the program without the terminal being set back.
        unsafe withUnsafeMutableBytes(of: &mode.c_cc) { keys in
            unsafe keys[Int(VMIN)] = 0
            unsafe keys[Int(VTIME)] = 0
            unsafe keys[Int(VQUIT)] = 0
        }
        guard unsafe tcsetattr(0, TCSANOW, &mode) == 0 else { return false }
        if !isOn.exchange(true, ordering: .acquiringAndReleasing), !greeting.isEmpty {
            _ = unsafe write(descriptor, greeting, greeting.utf8.count)
        }
        return true
    }

    /// Writes `text` to the terminal, and `farewell` when it is set back.
    static func say(_ text: String, farewell words: String) {
        if unsafe farewell == nil {
            // Never freed: a crash may need it.
            unsafe farewellLength = words.utf8.count
            unsafe farewell = strdup(words)
        }
        if isOn.load(ordering: .acquiring) { _ = unsafe write(output, text, text.utf8.count) }
    }

    /// The keys have been taken once.
    static var isWanted: Bool { unsafe isSaved }

    /// Sets the terminal back; also right where the program crashes.
    static func restore() {
        guard isOn.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if let farewell = unsafe farewell { _ = unsafe write(output, farewell, farewellLength) }
        _ = unsafe tcsetattr(0, TCSANOW, &saved)
    }

    /// The next keys, as bytes; none when none was pressed within the time, `nil` when there is no terminal any more.
    static func bytes(within milliseconds: Int32) -> [UInt8]? {
        var request = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, milliseconds)
        guard ready > 0 else { return ready == 0 || errno == EINTR ? [] : nil }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(0, &buffer, buffer.count)
        if count > 0 { return Array(buffer[..<count]) }
        if count == 0, request.revents & Int16(POLLHUP) == 0 { return [] }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }
}
