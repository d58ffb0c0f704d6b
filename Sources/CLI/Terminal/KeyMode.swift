// Invariant: `saved` and `farewell` are written before `isOn` is set and do not change while it is set; `restore` makes
// only calls that POSIX allows in a signal handler, since the program may be crashing.
import Glibc
import Synchronization
import WhisperEngine

/// A terminal mode that delivers each key as it is pressed and echoes none. `restore` is called on every path out.
enum KeyMode {
    private nonisolated(unsafe) static var saved = termios()
    private nonisolated(unsafe) static var isSaved = false
    private nonisolated(unsafe) static var farewell: StaticString?
    private nonisolated(unsafe) static var output: Int32 = 1
    private static let isOn = Atomic<Bool>(false)

    /// Whether standard input is a terminal, and this program in its foreground.
    static var isPossible: Bool { isatty(0) == 1 && tcgetpgrp(0) == getpgrp() }

    /// Enters the mode on standard input, also after the program was stopped and continued.
    ///
    /// - Parameters:
    ///   - output: the descriptor for output to the terminal.
    ///   - greeting: written there on entering.
    /// - Returns: `false` if that is not possible.
    static func enter(output descriptor: Int32 = 1, greeting: StaticString = "") -> Bool {
        guard isPossible else { return false }
        if unsafe !isSaved {
            guard unsafe tcgetattr(0, &saved) == 0 else { return false }
            unsafe isSaved = true
            unsafe output = descriptor
        }
        var mode = unsafe saved
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Ctrl-C, Ctrl-Z and Ctrl-\ remain signals.
        unsafe withUnsafeMutableBytes(of: &mode.c_cc) { keys in
            unsafe keys[Int(VMIN)] = 0
            unsafe keys[Int(VTIME)] = 0
        }
        guard unsafe tcsetattr(0, TCSANOW, &mode) == 0 else { return false }
        if !isOn.exchange(true, ordering: .acquiringAndReleasing) { write(greeting, to: descriptor) }
        return true
    }

    /// Writes `text` to the terminal now, and `farewell` when the mode is left.
    static func send(_ text: StaticString, farewell bytes: StaticString) {
        if unsafe farewell == nil { unsafe farewell = bytes }
        if isOn.load(ordering: .acquiring) { write(text, to: unsafe output) }
    }

    private static func write(_ text: StaticString, to descriptor: Int32) {
        _ = unsafe Glibc.write(descriptor, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Whether the mode has ever been entered.
    static var wasEntered: Bool { unsafe isSaved }

    /// Restores the terminal; also called from the crash handler.
    static func restore() {
        guard isOn.exchange(false, ordering: .acquiringAndReleasing) else { return }
        if let farewell = unsafe farewell { write(farewell, to: unsafe output) }
        _ = unsafe tcsetattr(0, TCSANOW, &saved)
    }

    /// Reads pending bytes: none if no key was pressed within the time, `nil` if the terminal is gone.
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

/// Reads keys on a dedicated thread, because a task must not block a thread of the shared pool.
actor KeyReader {
    private let executor = ComputeExecutor()
    private var parser = KeyParser()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// How long a lone escape may still become the start of a sequence, in milliseconds.
    private static let escapeTimeout: Int32 = 50
    /// How often cancellation is checked, in milliseconds. Each check wakes the thread.
    private static let interval: Int32 = 100

    /// The next keys, none if no key was pressed for a while; `nil` when the task is cancelled or the terminal is gone.
    ///
    /// - Parameter milliseconds: how long to wait for the rest of a sequence.
    func next(within milliseconds: Int32 = escapeTimeout) -> [Key]? {
        let timeout = parser.isInKey ? milliseconds : Self.interval
        guard !Task.isCancelled, let bytes = KeyMode.bytes(within: timeout) else { return nil }
        return parser.keys(bytes)
    }
}
