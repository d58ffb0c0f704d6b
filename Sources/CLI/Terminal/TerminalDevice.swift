// Invariant: the size is written by the kernel into a value of ours during the one call.
import Glibc

/// The terminal behind standard error, where progress is shown.
enum TerminalDevice {
    /// Columns; `nil` where the terminal does not tell.
    static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
